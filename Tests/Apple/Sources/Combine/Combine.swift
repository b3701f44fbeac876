// The parts of Combine that observable objects need. A publisher has the closures of its subscribers.
import Foundation

public final class ObservableObjectPublisher {
    private var subscribers: [ObjectIdentifier: () -> Void] = [:]
    public init() {}
    public func send() { for subscriber in subscribers.values { subscriber() } }
    /// Calls a closure before each change until the owner subscribes again.
    public func subscribe(_ owner: AnyObject, _ body: @escaping () -> Void) { subscribers[ObjectIdentifier(owner)] = body }
}

public protocol ObservableObject: AnyObject {
    var objectWillChange: ObservableObjectPublisher { get }
}

/// The publishers of objects that do not make their own, until the objects are released.
private struct Entry {
    weak var object: AnyObject?
    let publisher: ObservableObjectPublisher
}
nonisolated(unsafe) private var entries: [ObjectIdentifier: Entry] = [:]
private let lock = NSLock()

extension ObservableObject {
    public var objectWillChange: ObservableObjectPublisher {
        lock.withLock {
            entries = entries.filter { $0.value.object != nil }
            if let entry = entries[ObjectIdentifier(self)] { return entry.publisher }
            let publisher = ObservableObjectPublisher()
            entries[ObjectIdentifier(self)] = Entry(object: self, publisher: publisher)
            return publisher
        }
    }
}

/// Tells the subscribers of its object before its value changes.
@propertyWrapper public struct Published<Value> {
    private var value: Value
    public init(wrappedValue: Value) { value = wrappedValue }

    @available(*, unavailable, message: "Published is for properties of classes.")
    public var wrappedValue: Value {
        get { fatalError() }
        set { fatalError("\(newValue)") }
    }

    public static subscript<Owner: ObservableObject>(
        _enclosingInstance owner: Owner, wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Published<Value>>
    ) -> Value {
        get { owner[keyPath: storage].value }
        set {
            owner.objectWillChange.send()
            owner[keyPath: storage].value = newValue
        }
    }
}
