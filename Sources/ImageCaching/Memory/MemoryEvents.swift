/// The counters of a control group's `memory.events` (Linux, Documentation/admin-guide/cgroup-v2.rst):
///
/// ```
/// low 0
/// high 17          throttled above memory.high
/// max 2            about to go over memory.max
/// oom 0            could not be kept below it
/// oom_kill 0
/// ```
struct MemoryEvents: Equatable {
    private(set) var high = 0
    private(set) var max = 0
    private(set) var oom = 0

    /// - Parameter text: the content of the file; other lines are ignored.
    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ")
            guard parts.count == 2, let count = Int(parts[1]) else { continue }
            switch parts[0] {
            case "high": high = count
            case "max": max = count
            case "oom", "oom_kill": oom = Swift.max(oom, count)
            default: break
            }
        }
    }

    /// The pressure since an earlier reading of the counters; `nil` for none.
    func pressure(since earlier: MemoryEvents) -> MemoryPressure? {
        if max > earlier.max || oom > earlier.oom { return .critical }
        return high > earlier.high ? .warning : nil
    }
}
