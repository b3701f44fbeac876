/// The control groups of a process on Linux, which hold the limits of a container or a service.
///
/// `/proc/self/cgroup` has one line per hierarchy, `number:controllers:path` (cgroups(7)). Version 2 is the line
/// `0::/path`, with its files below `/sys/fs/cgroup`; in version 1 each controller has a hierarchy of its own:
///
/// ```
/// 4:memory:/docker/25db0a        /sys/fs/cgroup/memory/docker/25db0a/memory.limit_in_bytes
/// 0::/system.slice/web.service   /sys/fs/cgroup/system.slice/web.service/memory.max, …/cpu.max
/// ```
///
/// A limit applies to all groups below it. Inside a container the path may be that of the host, which the container
/// does not see, while the container's group is mounted as the root: so every prefix of the path is read.
package struct ControlGroups: Equatable {
    /// Directories of version 2 with a limit for this process, innermost first.
    package private(set) var unified: [String] = []
    /// Directories of version 1's memory controller, innermost first.
    private var memory: [String] = []
    /// Directories of version 1's processor controller, innermost first.
    private var processors: [String] = []

    /// - Parameter process: the text of `/proc/self/cgroup`.
    package init(process: String) {
        for line in process.split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            if fields[1].isEmpty {
                unified = Self.prefixes(of: fields[2], below: "/sys/fs/cgroup")
                continue
            }
            let controllers = fields[1].split(separator: ",")
            if controllers.contains("memory") { memory = Self.prefixes(of: fields[2], below: "/sys/fs/cgroup/memory") }
            if controllers.contains("cpu") { processors = Self.prefixes(of: fields[2], below: "/sys/fs/cgroup/cpu") }
        }
    }

    /// The limits of all groups, in bytes.
    ///
    /// - Parameter read: returns the text of a file, or `nil` if there is none.
    package func memoryLimits(read: (String) -> String?) -> [Int?] {
        let files = unified.map { $0 + "/memory.max" } + memory.map { $0 + "/memory.limit_in_bytes" }
        // Without a limit, version 2 writes `max`, and version 1 a huge number: neither lowers the minimum.
        return files.map { read($0).flatMap { Int($0.prefix { $0 != "\n" }) } }
    }

    /// The processor time that each group may use, in seconds a second; `nil` for a group without a limit.
    ///
    /// - Parameter read: returns the text of a file, or `nil` if there is none.
    package func processorLimits(read: (String) -> String?) -> [Double?] {
        // Version 2 has one file with the time and the period, in microseconds; version 1 has a file for each, and -1
        // for no limit.
        let texts =
            unified.map { read($0 + "/cpu.max") }
            + processors.map { group in
                read(group + "/cpu.cfs_quota_us").flatMap { time in read(group + "/cpu.cfs_period_us").map { time + " " + $0 } }
            }
        return texts.map { text in
            let numbers = (text ?? "").split(whereSeparator: \.isWhitespace).map { Double($0) }
            guard numbers.count == 2, let time = numbers[0], let period = numbers[1], time > 0, period > 0 else { return nil }
            return time / period
        }
    }

    private static func prefixes(of path: Substring, below root: String) -> [String] {
        var parts = path.split(separator: "/").filter { $0 != ".." && $0 != "." }.prefix(64)
        var found: [String] = []
        while !parts.isEmpty {
            found.append(root + "/" + parts.joined(separator: "/"))
            parts.removeLast()
        }
        return found + [root]
    }
}
