/// How many processors the process may use.
package enum ProcessorCount {
    /// The processors that the process may run on or, if that is less, the processor time that its control groups
    /// allow, rounded up; at least 1. Read once.
    package static let usable = usable(processors: runnable, limits: limits)

    /// - Parameters:
    ///   - processors: how many processors the process may run on.
    ///   - limits: the processor time that control groups allow, in seconds a second.
    package static func usable(processors: Int, limits: [Double?]) -> Int {
        let limit = limits.compactMap { $0 }.min() ?? .infinity
        return max(1, Double(processors) <= limit ? processors : Int(limit.rounded(.up)))
    }

    /// The processors that the process may run on, which `/proc/self/status` has as a mask (proc_pid_status(5)):
    /// `Cpus_allowed:   ff,00000003`.
    ///
    /// - Returns: `nil` if the text has no mask.
    package static func runnable(status: String) -> Int? {
        let label = "Cpus_allowed:"
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(label) }) else { return nil }
        let count = line.dropFirst(label.count).compactMap(\.hexDigitValue).reduce(0) { $0 + $1.nonzeroBitCount }
        return count > 0 ? count : nil
    }

    #if os(Linux) || os(Android)
        private static var runnable: Int { runnable(status: SmallFile.text(at: "/proc/self/status") ?? "") ?? online }

        private static var limits: [Double?] {
            ControlGroups(process: SmallFile.text(at: "/proc/self/cgroup") ?? "").processorLimits { SmallFile.text(at: $0) }
        }
    #else
        private static var runnable: Int { online }
        private static var limits: [Double?] { [] }
    #endif

    private static var online: Int { sysconf(Int32(_SC_NPROCESSORS_ONLN)) }
}
