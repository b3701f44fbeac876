internal import ImageCore

/// A weak reference that is `Sendable`.
struct Weak<Object: AnyObject & Sendable>: Sendable {
    // Swift 6.2 does not have `weak let`, so that a lock guards the reference, which does not change after `init`.
    private let box: Box
    init(_ object: Object) { box = Box(object) }
    var value: Object? { box.state.withLock { $0.object } }

    private struct Reference { weak var object: Object? }
    private final class Box: Sendable {
        let state: Lock<Reference>
        init(_ object: Object) { state = Lock(Reference(object: object)) }
    }
}
