internal import CCalotypeHeap
internal import CalotypeSystem
internal import ImageCore

/// What the process holds at one moment; 0 where the system does not tell.
struct Usage {
    /// Bytes allocated and not freed.
    var allocated = 0
    /// Bytes in pages of the machine's memory, without what the allocator has given back.
    var resident = 0
    var descriptors = 0
    var threads = 0

    static var now: Usage {
        calotype_heap_trim()
        let statm = (try? Data(contentsOf: URL(filePath: "/proc/self/statm"))).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let pages = statm.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return Usage(
            allocated: Int(calotype_heap_bytes()), resident: pages * sysconf(Int32(_SC_PAGESIZE)),
            descriptors: count("/proc/self/fd"), threads: count("/proc/self/task"))
    }

    /// Of each quantity the median.
    static func median(of usages: some Collection<Usage>) -> Usage {
        func median(_ values: [Int]) -> Int { values.isEmpty ? 0 : values.sorted()[values.count / 2] }
        return Usage(
            allocated: median(usages.map(\.allocated)), resident: median(usages.map(\.resident)),
            descriptors: median(usages.map(\.descriptors)), threads: median(usages.map(\.threads)))
    }

    /// The usage at rest: once descriptors and threads are down to `goal`, or have not become fewer for seven seconds.
    /// libdispatch lets a thread wait for work for five seconds.
    static func atRest(downTo goal: Usage? = nil) -> Usage {
        var (fewest, since) = (Usage(descriptors: .max, threads: .max), ContinuousClock.now)
        while ContinuousClock.now - since < .seconds(7) {
            let usage = now
            if let goal, usage.descriptors <= goal.descriptors, usage.threads <= goal.threads { return usage }
            if usage.descriptors < fewest.descriptors || usage.threads < fewest.threads { (fewest, since) = (usage, .now) }
            usleep(50_000)
        }
        return now
    }

    var summary: String {
        "\(resident >> 20) MB resident, \(allocated >> 10) KB allocated, \(descriptors) descriptors, \(threads) threads"
    }

    private static func count(_ directory: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: directory).count) ?? 0
    }
}
