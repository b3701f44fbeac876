/// The control groups of a process on Linux, which hold the limits of a container or a service.
///
/// `/proc/self/cgroup` has one line per hierarchy, `number:controllers:path` (cgroups(7)). Version 2 is the line `0::/path`, with its
/// files below `/sys/fs/cgroup`; in version 1 the memory controller has a separate hierarchy:
///
/// ```
/// 4:memory:/docker/25db0a        /sys/fs/cgroup/memory/docker/25db0a/memory.limit_in_bytes
/// 0::/system.slice/web.service   /sys/fs/cgroup/system.slice/web.service/memory.max
/// ```
///
/// A limit applies to all groups below it. Inside a container the path may be that of the host, which the container does not see,
/// while the container's group is mounted as the root: so every prefix of the path is read.
struct ControlGroups: Equatable {
    /// Directories of version 2 with a limit for this process, innermost first.
    private(set) var unified: [String] = []
    /// Directories of version 1's memory controller, innermost first.
    private(set) var memory: [String] = []

    /// - Parameter process: the text of `/proc/self/cgroup`.
    init(process: String) {
        for line in process.split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            if fields[1].isEmpty {
                unified = Self.prefixes(of: fields[2], below: "/sys/fs/cgroup")
            } else if fields[1].split(separator: ",").contains("memory") {
                memory = Self.prefixes(of: fields[2], below: "/sys/fs/cgroup/memory")
            }
        }
    }

    /// The limits of all groups, in bytes.
    ///
    /// - Parameter read: returns the text of a file, or `nil` if there is none.
    func memoryLimits(read: (String) -> String?) -> [Int?] {
        let files = unified.map { $0 + "/memory.max" } + memory.map { $0 + "/memory.limit_in_bytes" }
        // Without a limit, version 2 writes `max`, and version 1 a huge number: neither lowers the minimum.
        return files.map { read($0).flatMap { Int($0.prefix { $0 != "\n" }) } }
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
