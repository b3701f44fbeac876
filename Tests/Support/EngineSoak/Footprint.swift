internal import CCalotypeHeap
internal import ImageCore

internal import CalotypeSystem

/// What the process holds of memory, in bytes; 0 where the system does not tell.
struct Footprint {
    /// Allocated and not freed.
    var allocated: Int
    /// In pages of the machine's memory, what the allocator has given back left out.
    var resident: Int

    static var now: Footprint {
        calotype_heap_trim()
        let statm = (try? Data(contentsOf: URL(filePath: "/proc/self/statm"))).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let pages = statm.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return Footprint(allocated: Int(calotype_heap_bytes()), resident: pages * sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Returns when the threads that had nothing more to do have ended: when there have been no fewer for as long as
    /// libdispatch lets one wait for work (5 s).
    static func waitForThreads() {
        var (fewest, since) = (Int.max, ContinuousClock.now)
        while ContinuousClock.now - since < .seconds(7) {
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
            if threads < fewest { (fewest, since) = (threads, .now) }
            usleep(50_000)
        }
    }

    /// The least of each that any of the looks found.
    static func lowest(of looks: some Sequence<Footprint>) -> Footprint {
        looks.reduce(Footprint(allocated: .max, resident: .max)) {
            Footprint(allocated: min($0.allocated, $1.allocated), resident: min($0.resident, $1.resident))
        }
    }

    /// How much more than another one it is, as a share of that one.
    func growth(since start: Footprint) -> (allocated: Double, resident: Double) {
        func share(_ now: Int, _ then: Int) -> Double { then == 0 ? 0 : Double(now - then) / Double(then) }
        return (share(allocated, start.allocated), share(resident, start.resident))
    }
}
