import Dispatch

/// Runs closures one after another.
final class SerialThread: Sendable {
    private let queue = DispatchQueue(label: "serial")
    func run(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
