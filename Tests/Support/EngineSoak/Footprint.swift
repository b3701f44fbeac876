internal import CCalotypeHeapUsage
internal import ImageCore

internal import CalotypeSystem

/// The memory of the process in bytes; 0 if the system does not report it.
struct Footprint {
    /// The allocated bytes.
    var allocated: Int
    /// The resident bytes, without the memory that the allocator has returned.
    var resident: Int

    static var now: Footprint {
        clt_heap_trim()
        let statm = (try? Data(contentsOf: URL(filePath: "/proc/self/statm"))).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let pages = statm.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return Footprint(allocated: Int(clt_heap_bytes()), resident: pages * sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Returns when idle threads have ended: when their number has not decreased for longer than libdispatch keeps an
    /// idle thread (5 s).
    static func waitForThreads() {
        var (fewest, since) = (Int.max, ContinuousClock.now)
        while ContinuousClock.now - since < .seconds(7) {
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
            if threads < fewest { (fewest, since) = (threads, .now) }
            usleep(50_000)
        }
    }

    /// Returns the lowest value of each number.
    static func lowest(of footprints: some Sequence<Footprint>) -> Footprint {
        footprints.reduce(Footprint(allocated: .max, resident: .max)) {
            Footprint(allocated: min($0.allocated, $1.allocated), resident: min($0.resident, $1.resident))
        }
    }

    /// Returns the growth since another measurement, as a share of that.
    func growth(since start: Footprint) -> (allocated: Double, resident: Double) {
        func share(_ now: Int, _ then: Int) -> Double { then == 0 ? 0 : Double(now - then) / Double(then) }
        return (share(allocated, start.allocated), share(resident, start.resident))
    }
}
