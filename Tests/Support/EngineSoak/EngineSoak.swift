internal import ImageCore
internal import ImageLoading

internal import CalotypeSystem

/// `EngineSoak [LOADS]` runs many loads of every kind, from a seed, with cancellations and failures, in a process that
/// does nothing else.
///
/// The first quarter warms up, or 20,000 loads if they are more. Then the memory at rest, with empty caches, is
/// measured eight times. A leak is part of every later measurement, while tables grow and shrink, so the lowest of the
/// last four measurements is compared with the lowest of the first four. The status is 1 if allocated or resident
/// memory grew by more than 2 %, or if a load or other work did not end.
///
/// A run of fewer than half a million loads still warms up while it is measured, because tables grow and the kernel
/// counts pages in batches. It may grow by 2 MB or so (10 %) of resident memory, and by 16 allocated bytes for each
/// load, which is half of the smallest block.
///
/// Run it with `GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1`: otherwise the blocks that a
/// thread keeps for its next allocations count as allocated, and so do 2 KB of each arena, whose number depends on
/// contention.
@main struct EngineSoak {
    static func main() async throws {
        let loads = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
        let isShort = loads < 500_000
        // The first output allocates the output buffer, before memory is measured.
        let warmUp = max(loads / 4, 20_000)
        print("soak: \(loads) loads after \(warmUp) to warm up")
        var run = SoakRun(seed: 7)
        var measurements: [Footprint] = []
        await run.load(warmUp)
        for _ in 0..<8 {
            let footprint = try await run.footprint(after: loads * 3 / 32, isAlone: !isShort)
            measurements.append(footprint)
            printProgress(of: run, footprint)
        }
        let (start, end) = (Footprint.lowest(of: measurements.prefix(4)), Footprint.lowest(of: measurements.suffix(4)))
        let (allocated, resident) = end.growth(since: start)
        print("soak: grew by \(percent(allocated)) allocated, \(percent(resident)) resident")

        let counts = run.loader.statistics.loads
        let problems = [
            allocated > (isShort ? Double(16 * (loads * 3 / 8)) / Double(start.allocated) : 0.02) ? "allocated memory grew" : nil,
            resident > (isShort ? 0.10 : 0.02) ? "resident memory grew" : nil,
            run.loader.activity != ImageLoader.Activity() || counts.active > 0 ? "work remains after all loads ended" : nil,
            run.ends.all != run.started ? "\(run.started) loads had \(run.ends.all) ends" : nil,
            counts.cancelled == 0 || counts.failed == 0 || counts.coalesced == 0 ? "a kind of load did not occur" : nil,
        ].compactMap { $0 }
        for problem in problems { print("soak: FAILED: \(problem)") }
        if !problems.isEmpty { exit(1) }
    }

    private static func printProgress(of run: SoakRun, _ footprint: Footprint) {
        print(
            "soak: \(run.started) loads, \(footprint.allocated / 1024) KB allocated, \(footprint.resident / 1024) KB resident,",
            run.ends.summary)
    }

    private static func percent(_ share: Double) -> String { "\((share * 10_000).rounded() / 100) %" }
}
