/// How much memory the process may use.
enum AvailableMemory {
    /// The smallest of the machine's memory and the limits that are set; a limit of 0 or less counts as none.
    static func smallest(machine: Int, limits: [Int?]) -> Int {
        limits.compactMap { $0 }.filter { $0 > 0 }.reduce(machine, min)
    }
}
