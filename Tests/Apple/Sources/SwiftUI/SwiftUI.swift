// The parts of SwiftUI that the image views use. State is kept in boxes. Modifiers record their arguments, so that a test can run them.
@_exported public import CoreGraphics

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

@resultBuilder public enum ViewBuilder {
    public static func buildBlock<V: View>(_ view: V) -> V { view }
    public static func buildEither<A: View, B: View>(first: A) -> Either<A, B> { .first(first) }
    public static func buildEither<A: View, B: View>(second: B) -> Either<A, B> { .second(second) }
}

public enum Either<A: View, B: View>: View {
    case first(A)
    case second(B)
    public var body: Never { fatalError() }
}

public struct Text: View {
    public let text: String
    public init(_ text: String) { self.text = text }
    public var body: Never { fatalError() }
}

public struct Image: View {
    public let cgImage: CGImage
    public init(decorative cgImage: CGImage, scale: CGFloat) { self.cgImage = cgImage }
    public func resizable() -> Image { self }
    public var body: Never { fatalError() }
}

/// A view with the arguments of its modifier.
public struct Modified<Content: View>: View {
    public var content: Content
    public var appear: (() -> Void)?
    public var disappear: (() -> Void)?
    public var label: Text?
    public var observedValue: Any?
    public var body: Never { fatalError() }
}

extension View {
    public func onAppear(perform action: (() -> Void)? = nil) -> some View { Modified(content: self, appear: action) }
    public func onDisappear(perform action: (() -> Void)? = nil) -> some View { Modified(content: self, disappear: action) }
    public func onChange<V: Equatable>(of value: V, perform action: @escaping (_ newValue: V) -> Void) -> some View {
        Modified(content: self, observedValue: value)
    }
    public func accessibilityLabel(_ label: Text) -> some View { Modified(content: self, label: label) }
}

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
    public var accessibilityReduceMotion: Bool { false }
    /// The environment of all views, which tests set.
    @MainActor public static var current = EnvironmentValues()
}

@MainActor @propertyWrapper public struct Environment<Value> {
    private let path: KeyPath<EnvironmentValues, Value>
    public init(_ path: KeyPath<EnvironmentValues, Value>) { self.path = path }
    public var wrappedValue: Value { EnvironmentValues.current[keyPath: path] }
}

@MainActor @propertyWrapper public struct State<Value> {
    private final class Box {
        var value: Value
        init(_ value: Value) { self.value = value }
    }
    private let box: Box
    public init(wrappedValue: Value) { box = Box(wrappedValue) }
    public var wrappedValue: Value {
        get { box.value }
        nonmutating set { box.value = newValue }
    }
}

public struct Animation: Sendable {
    public static func easeInOut(duration: TimeInterval) -> Animation { Animation() }
}

@MainActor public func withAnimation<R>(_ animation: Animation?, _ body: () throws -> R) rethrows -> R { try body() }
