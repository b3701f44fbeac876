/// How much memory the process may use.
package enum AvailableMemory {
    /// The minimum of the physical memory and the limits; a limit of 0 or less counts as none.
    package static func smallest(machine: Int, limits: [Int?]) -> Int {
        limits.compactMap { $0 }.filter { $0 > 0 }.reduce(machine, min)
    }
}
