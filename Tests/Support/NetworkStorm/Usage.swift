internal import CCalotypeHeapUsage
internal import CalotypeSystem
internal import ImageCore

/// The resources of the process at one moment; 0 if the system does not report them.
struct Usage {
    /// The allocated bytes.
    var allocated = 0
    /// The resident bytes, without the memory that the allocator has returned.
    var resident = 0
    var descriptors = 0
    var threads = 0

    static var now: Usage {
        clt_heap_trim()
        let statm = (try? Data(contentsOf: URL(filePath: "/proc/self/statm"))).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let pages = statm.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return Usage(
            allocated: Int(clt_heap_bytes()), resident: pages * sysconf(Int32(_SC_PAGESIZE)),
            descriptors: count("/proc/self/fd"), threads: count("/proc/self/task"))
    }

    /// Returns the median of each number.
    static func median(of usages: some Collection<Usage>) -> Usage {
        func median(_ values: [Int]) -> Int { values.isEmpty ? 0 : values.sorted()[values.count / 2] }
        return Usage(
            allocated: median(usages.map(\.allocated)), resident: median(usages.map(\.resident)),
            descriptors: median(usages.map(\.descriptors)), threads: median(usages.map(\.threads)))
    }

    /// Returns the usage at rest: after seven seconds, or when descriptors and threads have decreased to `goal`, for
    /// which the wait is longer. An idle thread of libdispatch waits for work for five seconds.
    static func atRest(downTo goal: Usage? = nil, unless stop: StopSignal) -> Usage {
        let end = ContinuousClock.now + .seconds(goal == nil ? 7 : 20)
        while !stop.isSet, ContinuousClock.now < end {
            usleep(50_000)
            if let goal, case let usage = now, usage.descriptors <= goal.descriptors, usage.threads <= goal.threads {
                return usage
            }
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
