import Dispatch
import ImageCore
import Testing

@testable import ImageCaching

import CalotypeSystem

private let rounds = unsafe getenv("CALOTYPE_CRASH_ROUNDS").flatMap { unsafe Int(String(cString: $0)) } ?? 6

/// Kills a writing process at a random instant, repeatedly on one directory. `CALOTYPE_CRASH_ROUNDS` sets the number of
/// rounds; a few by default.
@Suite(.timeLimit(.minutes(1 + rounds / 100))) struct DiskCacheCrashTests {
    @Test func afterAKillEveryDurableEntryIsCompletelyStored() async throws {
        let folder = try Folder()
        var damages = 0
        for round in 0..<rounds {
            let path = folder.path
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, round = round as Int] in
                try await writeUntilKilled(in: path, round: round)
            }
            let warnings = Warnings()
            let cache = folder.cache(.init(maximumBytes: 2_000_000, minimumBytes: 0), warnings: warnings)
            // A file beside the cache records the last entry that was flushed.
            let note = (try? Data(contentsOf: folder.url.appending(path: "durable"))) ?? Data()
            let durable = String(decoding: note, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: true)
            if let last = durable.last(where: { $0.hasSuffix(".") }).flatMap({ Int($0.dropLast()) }) {
                #expect(try await cache.entry(for: dataKey("durable"))?.data.count ?? 0 > 0, "round \(round)")
                let tag = try await cache.entry(for: dataKey("durable")).map { Int($0.storedAt) }
                #expect(tag ?? -1 >= last, "round \(round): the durable entry is older than what was flushed")
            }
            if let updated = try await cache.entry(for: dataKey("updated")) {
                #expect(updated.data == content(-1, count: 20_000), "round \(round)")
                #expect(
                    Int(updated.storedAt) >= updatedTag(in: durable), "round \(round): the head is older than what was flushed")
            } else {
                #expect(updatedTag(in: durable) == 0, "round \(round): the updated entry is lost")
            }
            for n in 0..<100 {
                guard let found = try await cache.entry(for: dataKey(n)) else { continue }
                #expect(found.data == content(Int(found.storedAt), count: found.data.count), "round \(round)")
            }
            let statistics = await cache.statistics
            damages += statistics.evictions.damaged
            #expect(statistics.fileByteCount <= min(folder.fileBytes, 2_000_000))
            #expect(warnings.kinds.isEmpty, "round \(round): \(warnings.messages)")
        }
        // A killed process loses no bytes that the system has accepted, and a file is whole before it gets its name.
        #expect(damages == 0)
    }

    /// The tag of the last update before the last flush that was recorded; 0 for none.
    private func updatedTag(in durable: [Substring]) -> Int {
        durable.last { $0.hasSuffix(".") }.flatMap { Int($0.dropLast()) } ?? 0
    }
}

/// Stores and flushes until a timer kills the process.
private func writeUntilKilled(in path: String, round: Int) async throws {
    let cache = DiskCache(.init(directory: URL(filePath: path), limits: .init(maximumBytes: 2_000_000, minimumBytes: 0)))
    var random = SystemRandomNumberGenerator()
    _ = await cache.statistics
    let note = unsafe open(path + "/durable", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(Int.random(in: 0...60_000, using: &random))) {
        _ = kill(getpid(), SIGKILL)
    }
    for step in 0... {
        let tag = round * 1_000_000 + step
        let name = Int.random(in: 0..<100, using: &random)
        let bytes = content(tag, count: 1_000 + tag % 30_000)
        try await cache.store(DataEntry(data: bytes, storedAt: Double(tag)), for: dataKey(name))
        if step % 11 == 0 { try await cache.removeEntry(for: dataKey((name + 1) % 100)) }
        if step % 5 == 4 {
            try await cache.store(DataEntry(data: content(tag, count: 500), storedAt: Double(tag)), for: dataKey("durable"))
            let updated = DataEntry(data: content(-1, count: 20_000), storedAt: Double(tag))
            try await cache.updateEntry(updated, for: dataKey("updated"))
            try await cache.flush()
            let line = Array("\(tag).\n".utf8)
            _ = unsafe write(note, line, line.count)
        }
    }
}
