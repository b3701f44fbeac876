/// Where a result is kept.
struct StoreTargets: OptionSet, Sendable {
    let rawValue: UInt8

    static let memory = StoreTargets(rawValue: 1)
    static let disk = StoreTargets(rawValue: 2)
}
