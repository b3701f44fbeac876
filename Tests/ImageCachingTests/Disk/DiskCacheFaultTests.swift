import ImageCore
import Testing
import Timing

@testable import ImageCaching

/// Every call that changes the file system fails once, or is the last one of the process.
@Suite(.timeLimit(.minutes(1))) struct DiskCacheFaultTests {
    /// Stores, replaces, removes and flushes. Returns the durable state: the tag of each entry's bytes, `nil` for a
    /// removed entry.
    private func work(on cache: DiskCache, until isOver: () -> Bool = { false }) async throws -> [Int: Int?] {
        var durable: [Int: Int?] = [:]
        var pending: [Int: Int?] = [:]
        for step in 0..<24 {
            let name = step % 9
            if step % 7 == 6 {
                try await cache.removeEntry(for: dataKey(name))
                pending[name] = .some(nil)
            } else {
                try await cache.store(entry(step, count: 3_000), for: dataKey(name))
                pending[name] = step
            }
            guard step % 4 == 3 else { continue }
            guard (try? await cache.flush()) != nil, !isOver() else { break }
            durable.merge(pending) { $1 }
            pending = [:]
        }
        return durable
    }

    /// Whether the bytes of an entry were stored for it at some time.
    private func isGenuine(_ data: Data, name: Int) -> Bool {
        stride(from: name, to: 24, by: 9).contains { data == content($0, count: 3_000) }
    }

    @Test func afterACrashAtAnyCallDurableEntriesAreStoredAndNoEntryIsTorn() async throws {
        let total = FaultyFiles(.death, at: .max)
        let whole = try Folder()
        _ = try await work(on: whole.cache(.init(maximumBytes: 300_000, minimumBytes: 0), files: total))
        #expect(total.count > 30)
        try await checkEach(of: 0..<total.count, atATime: 4) { death in
            let folder = try Folder()
            let files = FaultyFiles(.death, at: death)
            let dying = folder.cache(.init(maximumBytes: 300_000, minimumBytes: 0), files: files)
            let durable = try await work(on: dying, until: { files.isDead })
            let warnings = Warnings()
            let cache = folder.cache(.init(maximumBytes: 300_000, minimumBytes: 0), warnings: warnings)
            for name in 0..<9 {
                let found = try await cache.entry(for: dataKey(name))
                if let found { #expect(isGenuine(found.data, name: name), "death at \(death)") }
                // Changes after the last flush may have happened or not; durable entries must exist.
                if case .some(.some) = durable[name], found == nil {
                    #expect(wasRemovedLater(name, than: durable[name]), "entry \(name) is lost, death at \(death)")
                }
            }
            #expect(warnings.kinds.isEmpty, "death at \(death): \(warnings.messages)")
            let statistics = await cache.statistics
            #expect(statistics.fileByteCount <= folder.fileBytes, "death at \(death)")
            #expect(statistics.byteCount <= statistics.fileByteCount, "death at \(death)")
            try await cache.store(entry(99), for: dataKey("after"))
            try await cache.flush()
            #expect(try await folder.cache().entry(for: dataKey("after"))?.data == content(99))
            withExtendedLifetime(dying) {}
        }
    }

    /// Whether a later step removes the entry.
    private func wasRemovedLater(_ name: Int, than step: Int??) -> Bool {
        guard case .some(.some(let step)) = step else { return true }
        return (step..<24).contains { $0 % 7 == 6 && $0 % 9 == name }
    }

    @Test(arguments: [28, 5, 30, 13] as [Int32])
    func aCallThatFailsOnceLosesEntriesButFailsNoLoad(code: Int32) async throws {
        let total = FaultyFiles(.once(code: code), at: .max)
        _ = try await work(on: Folder().cache(.init(maximumBytes: 300_000, minimumBytes: 0), files: total))
        #expect(total.count > 30)
        try await checkEach(of: 0..<total.count, atATime: 4) { call in
            let folder = try Folder()
            let warnings = Warnings()
            let cache = folder.cache(
                .init(maximumBytes: 300_000, minimumBytes: 0), warnings: warnings, files: FaultyFiles(.once(code: code), at: call)
            )
            _ = try await work(on: cache)
            for name in 0..<9 {
                if let found = try await cache.entry(for: dataKey(name)) { #expect(isGenuine(found.data, name: name)) }
            }
            #expect(Set(warnings.kinds).count == warnings.kinds.count, "each kind of warning once")
            let again = folder.cache(.init(maximumBytes: 300_000, minimumBytes: 0))
            for name in 0..<9 {
                if let found = try await again.entry(for: dataKey(name)) { #expect(isGenuine(found.data, name: name)) }
            }
        }
    }

    /// A failed write of the header, the body or the times never passes for a stored entry.
    @Test(arguments: [28, 5] as [Int32])
    func aStoreOfWhichOneCallFailsIsThereOrReported(code: Int32) async throws {
        let counted = FaultyFiles(.once(code: code), at: .max)
        let counting = try Folder().cache(files: counted)
        try await counting.store(entry(1), for: dataKey(1))
        try await counting.flush()
        #expect(counted.count > 5)
        for call in 0..<counted.count {
            let (folder, warnings) = (try Folder(), Warnings())
            let cache = folder.cache(warnings: warnings, files: FaultyFiles(.once(code: code), at: call))
            try await cache.store(entry(1), for: dataKey(1))
            try? await cache.flush()
            let found = try await folder.cache().entry(for: dataKey(1))
            #expect(found?.data == content(1) || !warnings.kinds.isEmpty, "call \(call)")
        }
    }

    /// The disk is full, the file system became read-only, or permission was revoked.
    @Test(arguments: [0, 4, 12, 20], [28, 30, 13] as [Int32])
    func aDiskThatRejectsAllWritesCausesOneWarningAndNoError(call: Int, code: Int32) async throws {
        let folder = try Folder()
        let warnings = Warnings()
        let cache = folder.cache(warnings: warnings, files: FaultyFiles(.always(code: code), at: call))
        for i in 0..<20 {
            try await cache.store(entry(i), for: dataKey(i))
            try? await cache.flush()
            if let found = try await cache.entry(for: dataKey(i)) { #expect(found.data == content(i)) }
        }
        #expect(warnings.kinds.count == 1)
        #expect(warnings.messages.first?.contains(SystemError.text(code)) == true)
    }
}

@Suite(.timeLimit(.minutes(1))) struct DiskCacheSharingTests {
    @Test func twoCachesOnOneDirectorySeeEachOthersEntries() async throws {
        let folder = try Folder()
        let (one, two) = (folder.cache(), folder.cache())
        try await one.store(entry(1), for: dataKey("a"))
        try await one.flush()
        #expect(try await two.entry(for: dataKey("a"))?.data == content(1))
        try await two.store(entry(2), for: dataKey("a"))
        try await two.flush()
        #expect(try await one.entry(for: dataKey("a"))?.data == content(2))
        try await one.removeEntry(for: dataKey("a"))
        try await one.flush()
        #expect(try await two.entry(for: dataKey("a")) == nil)
        try await two.store(entry(3), for: dataKey("b"))
        try await two.removeAll()
        try await one.store(entry(4), for: dataKey("c"))
        #expect(try await one.entry(for: dataKey("b")) == nil)
        #expect(try await one.entry(for: dataKey("c"))?.data == content(4))
    }

    @Test func entriesThatAnotherCacheEvictsAreMisses() async throws {
        let folder = try Folder()
        let (one, two) = (folder.cache(), folder.cache())
        for i in 0..<10 { try await one.store(entry(i), for: dataKey(i)) }
        try await one.flush()
        try await two.trim(toBytes: 4_000)
        var left = 0
        for i in 0..<10 where try await one.entry(for: dataKey(i)) != nil { left += 1 }
        #expect(left == 3)
        #expect(await one.statistics.count == 3)
        #expect(await one.statistics.evictions.damaged == 0)
    }

    @Test func usesByAnotherCacheDecideWhatIsEvicted() async throws {
        let folder = try Folder()
        let (one, two) = (folder.cache(), folder.cache())
        for i in 0..<10 { try await one.store(entry(i), for: dataKey(i)) }
        try await one.flush()
        for i in [0, 1] {
            #expect(try await two.entry(for: dataKey(i)) != nil)
            try await two.flush()
            // Later than what the first cache wrote, whose clock stands still like this one's.
            folder.setTimes(of: folder.file(of: dataKey(i)), used: 1_700_000_010 + i, written: 1_700_000_000)
        }
        try await one.trim(toBytes: 2_700)
        for i in 0..<10 { #expect(try await (one.entry(for: dataKey(i)) != nil) == (i < 2)) }
    }

    /// Each counts what it wrote itself, and the others' entries from time to time.
    @Test func cachesThatShareADirectoryExceedTheLimitByASixteenthEachAtMost() async throws {
        let folder = try Folder()
        let limits = DiskCache.Limits(maximumBytes: 400_000, minimumBytes: 0)
        let caches = (0..<3).map { _ in folder.cache(limits) }
        for i in 0..<300 {
            try await caches[i % 3].store(entry(i, count: 4_000), for: dataKey(i))
            try await caches[i % 3].flush()
            #expect(folder.fileBytes <= 400_000 + 3 * (25_000 + 4_200), "\(i)")
        }
        #expect(folder.fileBytes > 250_000)
    }

    @Test func concurrentWritersKeepTheLimitAndTearNoEntry() async throws {
        let folder = try Folder()
        let warnings = Warnings()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<3 {
                group.addTask {
                    let cache = folder.cache(.init(maximumBytes: 400_000, minimumBytes: 0), warnings: warnings)
                    for i in 0..<150 {
                        let n = (i * 7 + worker * 11) % 60
                        if let found = try await cache.entry(for: dataKey(n)) {
                            #expect(found.data == content(n, count: 6_000))
                        } else {
                            try await cache.store(entry(n, count: 6_000), for: dataKey(n))
                        }
                        if i % 10 == 9 { try await cache.flush() }
                    }
                    try await cache.flush()
                }
            }
            try await group.waitForAll()
        }
        #expect(warnings.kinds.isEmpty, "\(warnings.messages)")
        let cache = folder.cache(.init(maximumBytes: 400_000, minimumBytes: 0))
        for n in 0..<60 {
            if let found = try await cache.entry(for: dataKey(n)) { #expect(found.data == content(n, count: 6_000)) }
        }
        try await cache.trim(toBytes: 400_000)
        #expect(await cache.statistics.fileByteCount <= 400_000)
        #expect(await cache.statistics.evictions.damaged == 0)
    }
}
