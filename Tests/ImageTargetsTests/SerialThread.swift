import Dispatch

/// Runs closures one at a time, in order.
final class SerialThread: Sendable {
    private let queue = DispatchQueue(label: "serial")
    func run(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
