// SwiftUI as far as the views of pictures use it. State is kept in the view's boxes; `appear` runs what a screen would.
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
    public let picture: CGImage
    public init(decorative picture: CGImage, scale: CGFloat) { self.picture = picture }
    public func resizable() -> Image { self }
    public var body: Never { fatalError() }
}

/// A view with what was hung on it.
public struct Modified<Content: View>: View {
    public var content: Content
    public var appear: (() -> Void)?
    public var disappear: (() -> Void)?
    public var label: Text?
    public var watched: Any?
    public var body: Never { fatalError() }
}

extension View {
    public func onAppear(perform action: (() -> Void)? = nil) -> some View { Modified(content: self, appear: action) }
    public func onDisappear(perform action: (() -> Void)? = nil) -> some View { Modified(content: self, disappear: action) }
    public func onChange<V: Equatable>(of value: V, perform action: @escaping (_ newValue: V) -> Void) -> some View {
        Modified(content: self, watched: value)
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
    /// What views read; set by tests.
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
