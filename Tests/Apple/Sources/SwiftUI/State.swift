public import Combine

public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

public struct EnvironmentValues {
    private var values: [ObjectIdentifier: Any] = [:]
    public init() {}
    public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
        get { values[ObjectIdentifier(key)] as? K.Value ?? K.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }
    public internal(set) var accessibilityReduceMotion = false
    public var displayScale: CGFloat = 2
    /// The background until the scene tells.
    public internal(set) var scenePhase = ScenePhase.background
    /// The size that the host offers to its views.
    var hostSize = CGSize(width: 100, height: 50)
}

public enum ScenePhase: Comparable, Sendable { case background, inactive, active }

/// A property that the host connects to what it keeps for the view, before it evaluates the body.
@MainActor protocol DynamicProperty {
    func connect(_ stored: inout Any?, _ environment: EnvironmentValues, changed: @escaping () -> Void)
}

@MainActor @propertyWrapper public struct Environment<Value>: DynamicProperty {
    private final class Location { var values = EnvironmentValues() }
    private let path: KeyPath<EnvironmentValues, Value>
    private let location = Location()
    public init(_ path: KeyPath<EnvironmentValues, Value>) { self.path = path }
    public var wrappedValue: Value { location.values[keyPath: path] }
    func connect(_ stored: inout Any?, _ environment: EnvironmentValues, changed: @escaping () -> Void) {
        location.values = environment
    }
}

/// The host keeps the value of the first view at a place, and retains what is stored in it.
@MainActor @propertyWrapper public struct State<Value>: DynamicProperty {
    private final class Box {
        var value: Value
        var changed: (() -> Void)?
        init(_ value: Value) { self.value = value }
    }
    private final class Location {
        var box: Box
        init(_ box: Box) { self.box = box }
    }
    private let location: Location
    public init(wrappedValue: Value) { location = Location(Box(wrappedValue)) }
    public var wrappedValue: Value {
        get { location.box.value }
        nonmutating set {
            location.box.value = newValue
            location.box.changed?()
        }
    }
    func connect(_ stored: inout Any?, _ environment: EnvironmentValues, changed: @escaping () -> Void) {
        if let box = stored as? Box { location.box = box }
        location.box.changed = changed
        stored = location.box
    }
}

/// Evaluates the view's body again when the object is about to change.
@MainActor @propertyWrapper public struct ObservedObject<Object: ObservableObject>: DynamicProperty {
    public var wrappedValue: Object
    public init(wrappedValue: Object) { self.wrappedValue = wrappedValue }
    private final class Subscriber {}
    func connect(_ stored: inout Any?, _ environment: EnvironmentValues, changed: @escaping () -> Void) {
        let subscriber = stored as? Subscriber ?? Subscriber()
        stored = subscriber
        wrappedValue.objectWillChange.subscribe(subscriber, changed)
    }
}

/// Makes its object when the view is first shown, and keeps it with the view.
@MainActor @propertyWrapper public struct StateObject<Object: ObservableObject>: DynamicProperty {
    private final class Location { var object: Object? }
    private let make: () -> Object
    private let location = Location()
    public init(wrappedValue: @autoclosure @escaping () -> Object) { make = wrappedValue }
    public var wrappedValue: Object { location.object! }
    func connect(_ stored: inout Any?, _ environment: EnvironmentValues, changed: @escaping () -> Void) {
        let object = stored as? Object ?? make()
        (stored, location.object) = (object, object)
        object.objectWillChange.subscribe(location, changed)
    }
}
