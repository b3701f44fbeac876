internal import CalotypeSystem
internal import Dispatch
internal import Foundation
internal import ImageCore

/// The test: a warm-up, the storm, a rest, and the check of memory and of the disk cache.
struct Storm {
    private let seconds: Int
    private let sabotage: String?
    private let server: ServerProcess
    private let directory: URL
    private let records = LoadRecords()
    private let stop = StopSignal()
    private let interrupt: any DispatchSourceSignal
    private let storm: StormRun

    init(_ misbehaviours: [Misbehaviour], seconds: Int, seed: UInt64, sabotage: String?) throws {
        (self.seconds, self.sabotage) = (seconds, sabotage)
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGINT, SIG_IGN)
        interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        directory = FileManager.default.temporaryDirectory.appending(path: "calotype-storm-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        server = try ServerProcess()
        storm = StormRun(
            misbehaviours: misbehaviours, ports: server.ports, directory: directory.appending(path: "cache"),
            local: LocalSources(directory: directory), seed: seed, records: records, stop: stop)
        interrupt.setEventHandler { [stop, records] in
            stop.set()
            records.cancelAll()
        }
        interrupt.resume()
        report("\(seconds) s, seed \(seed), \(misbehaviours.count) misbehaviours, \(StormRun.width) loads at a time")
    }

    func cleanUp() { try? FileManager.default.removeItem(at: directory) }

    /// Returns the exit status.
    func run() async -> Int32 {
        let (directory, records) = (directory, records)
        let watchdog = Watchdog(records, progressEvery: seconds < 60 ? 5 : 10) { stuck in
            report("FAILED: loads are stuck after \(StormRun.bound): \(stuck.joined(separator: ", "))")
            for failure in records.failures { report("FAILED: \(failure)") }
            try? FileManager.default.removeItem(at: directory)
            exit(1)
        }
        // The warm-up uses another loader, and creates the parts of the process that stay.
        let warmUp = max(2, Double(seconds) / 6)
        await storm.storm(seconds: warmUp, round: 0)
        let before = Usage.atRest(unless: stop)
        records.noteRest()
        _ = watchdog.takeUsages()

        let (began, first) = (ContinuousClock.now, records.loads)
        await storm.storm(seconds: Double(seconds) - warmUp, round: 1, leaks: sabotage == "descriptor")
        let rate = Double(records.loads - first) / ((ContinuousClock.now - began) / .seconds(1))
        let usages = watchdog.takeUsages()
        let after = Usage.atRest(downTo: before, unless: stop)

        if !stop.isSet {
            check(usages, before, after, loads: records.loads - first)
            do {
                await storm.checkStored()
                try server.stopMisbehaving()
                await storm.checkHealth()
                let count = storm.misbehaviours.count { $0.localSource == nil } * StormRun.images
                report("afterwards \(count) images were loaded, \(records.fromDisk) of them from the disk cache")
            } catch { records.fail("the server has ended: \(error)") }
        }
        watchdog.end()
        return conclude(rate: rate)
    }

    private func check(_ usages: [Usage], _ before: Usage, _ after: Usage, loads: Int) {
        // The first quarter is left out, while a new loader fills its caches.
        let measured = usages.dropFirst(usages.count / 4)
        let (start, end) = (
            Usage.median(of: measured.prefix(measured.count / 3)), Usage.median(of: measured.suffix(measured.count / 3))
        )
        report("at the start \(start.summary)")
        report("at the end   \(end.summary)")
        report("at rest before \(before.summary)")
        report("at rest after  \(after.summary)")
        // A tenth and 4 MB, since the number of images that are decoded at a moment is random.
        if end.resident > start.resident + start.resident / 10 + 4_000_000 { records.fail("resident memory grew") }
        if end.allocated > start.allocated + start.allocated / 10 + 4_000_000 { records.fail("allocated memory grew") }
        // The number of open connections at a moment is random, too.
        if end.descriptors > start.descriptors + StormRun.width / 2 { records.fail("descriptors grew") }
        if end.threads > start.threads + 4 { records.fail("threads grew") }
        // A host that misbehaves must not hold up the others.
        if records.longestPause > StormRun.longestPause { records.fail("no load began for \(records.longestPause)") }
        let stale = storm.misbehaviours.filter { $0.stored != nil }
        if stale.count > 1, loads > 2_000, stale.allSatisfy({ records.stored(of: $0) == 0 }) {
            records.fail("no stored image replaced an error")
        }
        // This finds a leak of a few bytes for each load.
        if after.allocated > before.allocated + 512 << 10 + loads * 4 { records.fail("memory is still allocated at rest") }
        if after.descriptors > before.descriptors { records.fail("descriptors are open at rest") }
        if after.threads > before.threads { records.fail("threads run at rest") }
    }

    private func conclude(rate: Double) -> Int32 {
        for misbehaviour in storm.misbehaviours {
            let ends = records.ends(of: misbehaviour).sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            let stored = records.stored(of: misbehaviour)
            report("  \(misbehaviour.name): \(ends.joined(separator: ", "))" + (stored > 0 ? "; \(stored) from the disk" : ""))
        }
        let failed = records.loads - records.count(.image) - records.count(.cancelled)
        report(
            "\(records.loads) loads, \(records.count(.image)) images, \(failed) errors, \(records.count(.cancelled)) cancelled,",
            "\(Int(rate)) loads a second, and no longer than \(records.longestPause) without a new one")
        for failure in records.failures { report("FAILED (seed \(storm.seed)): \(failure)") }
        if records.failureCount > 0 {
            report("FAILED: \(records.failureCount) failures")
            return 1
        }
        guard !stop.isSet else {
            report("interrupted")
            return 130
        }
        report("passed")
        return 0
    }
}
