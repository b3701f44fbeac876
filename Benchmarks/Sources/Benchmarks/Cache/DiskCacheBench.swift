internal import Foundation

/// Measures the disk cache beside plain files and the system calls, in the same directory and run.
///
/// Reads and writes use files in memory if the system has them, because the speed of a disk would hide the differences.
/// Durable writes use the directory for temporary files.
struct DiskCacheBench {
    let effort: Effort
    let seed: UInt64

    func rows() async throws -> [Row] {
        try await rows(count: effort.scaled(10_000), size: 20_000, name: "20 kB", rounds: 5)
            + rows(count: effort.scaled(500), size: 2_000_000, name: "2 MB", rounds: 3)
            + countRows(effort.scaled(10_000), budget: 50) + countRows(effort.scaled(100_000), budget: 500)
    }

    /// The time until a new cache has counted the entries of its directory, and the time until it returns the first of
    /// them.
    private func countRows(_ count: Int, budget: Double) async throws -> [Row] {
        Progress.show("  disk cache: counting \(count) entries")
        let run = DiskRun(count: count, size: 104, parent: Self.directoryInMemory(room: 2 * count * 8_192), seed: seed)
        let times = try await run.count(rounds: effort == .smoke ? 1 : 5)
        return [
            Row(
                suite: "cache", name: "disk count of \(count) entries", samples: times.map(\.count), unit: "ms",
                budget: .atMost(budget)),
            Row(
                suite: "cache", name: "disk first hit of \(count) entries", samples: times.map(\.firstHit), unit: "ms"),
        ]
    }

    private func rows(count: Int, size: Int, name: String, rounds: Int) async throws -> [Row] {
        let fast = DiskRun(count: count, size: size, parent: Self.directoryInMemory(room: 3 * count * size), seed: seed)
        let durable = DiskRun(count: max(1, count / 20), size: size, parent: FileManager.default.temporaryDirectory, seed: seed)
        var times: [DiskRun.Times] = []
        var durableTimes: [DiskRun.DurableTimes] = []
        // Each round measures all of them, so that a slow moment of the machine affects them alike. The first round
        // warms up.
        for round in 0...(effort == .smoke ? 1 : rounds) {
            Progress.show("  disk cache: \(count) entries of \(name), round \(round)")
            let (time, durableTime) = (try await fast.run(), try await durable.runDurably())
            guard round > 0 else { continue }
            times.append(time)
            durableTimes.append(durableTime)
        }
        func row(_ what: String, _ own: [Double], _ peer: String, _ samples: [Double], _ budget: Double? = nil) -> Row {
            Row(
                suite: "cache", name: "disk \(what), \(name)", samples: own, unit: "µs",
                peer: Row.Peer(name: peer, samples: samples), budget: budget.map { .ratio($0) })
        }
        let (write, read) = (times.map(\.write), times.map(\.read))
        return [
            row("write", write, "raw open, write, close", times.map(\.rawWrite), size < 100_000 ? 2 : 1.4),
            row("write", write, "plain files", times.map(\.plainWrite)),
            row("write and flush", durableTimes.map(\.write), "raw, synced each", durableTimes.map(\.rawWrite)),
            row("read", read, "raw open, read, close", times.map(\.rawRead), size < 100_000 ? 1.6 : 1.4),
            row("read", read, "plain files", times.map(\.plainRead)),
            Row(suite: "cache", name: "disk miss, \(name)", samples: times.map(\.miss), unit: "µs", budget: .atMost(4)),
        ]
    }

    /// Returns a directory in memory with room for `room` bytes, or otherwise the directory for temporary files.
    private static func directoryInMemory(room: Int) -> URL {
        var info = statvfs()
        let path = "/dev/shm"
        guard unsafe statvfs(path, &info) == 0, unsafe access(path, W_OK) == 0,
            UInt64(info.f_bavail) * UInt64(info.f_frsize) > UInt64(room)
        else { return FileManager.default.temporaryDirectory }
        return URL(filePath: path, directoryHint: .isDirectory)
    }
}
