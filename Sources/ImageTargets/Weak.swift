internal import ImageCore

/// A weak reference that may cross isolations.
struct Weak<Object: AnyObject & Sendable>: Sendable {
    // `weak let` would do if the oldest compiler knew it; the reference itself never changes after `init`.
    private let box: Box
    init(_ object: Object) { box = Box(object) }
    var value: Object? { box.state.withLock { $0.object } }

    private struct Reference { weak var object: Object? }
    private final class Box: Sendable {
        let state: Lock<Reference>
        init(_ object: Object) { state = Lock(Reference(object: object)) }
    }
}
