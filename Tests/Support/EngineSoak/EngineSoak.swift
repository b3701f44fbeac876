internal import ImageCore
internal import ImageLoading

internal import CalotypeSystem

/// `EngineSoak [LOADS]`: very many loads of every kind, from a seed, with cancellations and failures, in a process that does
/// nothing else. The first quarter is for warming up; after that memory at rest is looked at eight times, caches emptied. What
/// stays of loads is there at every later look, while tables find their sizes up and down: the lowest of the last four looks
/// is compared with the lowest of the first four. Ends with status 1 where what is allocated or what is resident grew by more
/// than 2 %, or where a load or a piece of work did not come to its end.
///
/// A run of fewer than half a million still warms up while it is measured: tables find their sizes, the kernel counts pages
/// in batches of threads. It may grow by 2 MB or so (10 %) of resident memory, and by 16 bytes a load of what is allocated, which
/// is half of the smallest block.
///
/// Run it with `GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1`: what a thread keeps for its next allocation
/// counts as allocated, and so do 2 KB of every arena, of which there are as many as threads ever had to wait for one another.
@main struct EngineSoak {
    static func main() async throws {
        let loads = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
        let isShort = loads < 500_000
        // The first line takes the buffer of all that follow, before memory is looked at.
        print("soak: \(loads) loads, a quarter to warm up")
        var run = SoakRun(seed: 7)
        var looks: [Footprint] = []
        await run.load(loads / 4)
        for _ in 0..<8 {
            looks.append(try await run.footprint(after: loads * 3 / 32, isAlone: !isShort))
            tell(run, looks[looks.count - 1])
        }
        let (start, end) = (Footprint.lowest(of: looks.prefix(4)), Footprint.lowest(of: looks.suffix(4)))
        let (allocated, resident) = end.growth(since: start)
        print("soak: grew by \(percent(allocated)) allocated, \(percent(resident)) resident")

        let counts = run.loader.statistics.loads
        let problems = [
            allocated > (isShort ? Double(16 * (loads * 3 / 8)) / Double(start.allocated) : 0.02) ? "more is allocated" : nil,
            resident > (isShort ? 0.10 : 0.02) ? "more is resident" : nil,
            run.loader.activity != ImageLoader.Activity() || counts.active > 0 ? "something is left of the loads" : nil,
            run.ends.all != run.started ? "\(run.started) loads had \(run.ends.all) ends" : nil,
            counts.cancelled == 0 || counts.failed == 0 || counts.coalesced == 0 ? "a kind of load did not occur" : nil,
        ].compactMap { $0 }
        for problem in problems { print("soak: FAILED: \(problem)") }
        if !problems.isEmpty { exit(1) }
    }

    private static func tell(_ run: SoakRun, _ footprint: Footprint) {
        print(
            "soak: \(run.started) loads, \(footprint.allocated / 1024) KB allocated, \(footprint.resident / 1024) KB resident,",
            run.ends.summary)
    }

    private static func percent(_ share: Double) -> String { "\((share * 10_000).rounded() / 100) %" }
}
