// The parts of SwiftUI that the image views use. `SwiftUIHost` shows a view by SwiftUI's rules.
@_exported public import CoreGraphics

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

/// A view that has no body of its own. Its content is zero or more views.
@MainActor protocol Primitive {
    func resolve(_ pass: inout Pass)
}

@resultBuilder public enum ViewBuilder {
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<V: View>(_ view: V) -> V { view }
    public static func buildBlock<each V: View>(_ views: repeat each V) -> TupleView<(repeat each V)> {
        TupleView(views: (repeat each views))
    }
    public static func buildExpression<V: View>(_ view: V) -> V { view }
    public static func buildEither<A: View, B: View>(first: A) -> Either<A, B> { .first(first) }
    public static func buildEither<A: View, B: View>(second: B) -> Either<A, B> { .second(second) }
    public static func buildIf<V: View>(_ view: V?) -> V? { view }
    public static func buildLimitedAvailability<V: View>(_ view: V) -> AnyView { AnyView(view) }
}

// MARK: Containers without a size of their own

public struct EmptyView: View, Primitive {
    nonisolated public init() {}
    public var body: Never { fatalError() }
    func resolve(_ pass: inout Pass) {}
}

public enum Either<A: View, B: View>: View, Primitive {
    case first(A)
    case second(B)
    public var body: Never { fatalError() }
    func resolve(_ pass: inout Pass) {
        switch self {
        case .first(let view): pass.show(view, "first")
        case .second(let view): pass.show(view, "second")
        }
    }
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError() }
}
extension Optional: Primitive where Wrapped: View {
    func resolve(_ pass: inout Pass) { if let view = self { pass.show(view, "some") } }
}

public struct TupleView<T>: View, Primitive {
    nonisolated(unsafe) private let views: T
    nonisolated init(views: T) { self.views = views }
    public var body: Never { fatalError() }
    func resolve(_ pass: inout Pass) {
        for (index, child) in Mirror(reflecting: views).children.enumerated() {
            if let view = child.value as? any View { pass.show(view, "\(index)") }
        }
    }
}

public struct AnyView: View, Primitive {
    nonisolated(unsafe) private let view: any View
    nonisolated public init(_ view: some View) { self.view = view }
    public var body: Never { fatalError() }
    func resolve(_ pass: inout Pass) { pass.show(view, "\(type(of: view))") }
}

public struct Group<Content: View>: View {
    private let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    public var body: Content { content }
}

// MARK: Views that are shown

/// A container is shown itself, also when it is empty.
public struct ZStack<Content: View>: View, Primitive {
    private let content: Content
    public init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) { self.content = content() }
    public var body: Never { fatalError() }
    func resolve(_ pass: inout Pass) {
        pass.container(self) { pass in pass.show(content, "z") }
    }
}

public struct Alignment: Sendable { public static let center = Alignment() }

/// Gets the size that the host offers.
public struct GeometryReader<Content: View>: View, Primitive {
    private let content: (GeometryProxy) -> Content
    public init(@ViewBuilder content: @escaping (GeometryProxy) -> Content) { self.content = content }
    public var body: Never { fatalError() }
    func resolve(_ pass: inout Pass) {
        pass.container(self) { pass in
            pass.show(content(GeometryProxy(size: pass.environment.hostSize)), "geometry")
        }
    }
}

public struct GeometryProxy { public let size: CGSize }

public struct Text: View, Primitive, Equatable {
    public let text: String
    public init(_ text: String) { self.text = text }
    public var body: Never { fatalError() }
    func resolve(_ pass: inout Pass) { pass.output(self) }
}

public struct Color: View, Primitive, Equatable, Sendable {
    public enum RGBColorSpace: Sendable { case sRGB }
    public let components: [Double]
    public init(_ colorSpace: RGBColorSpace = .sRGB, red: Double, green: Double, blue: Double, opacity: Double = 1) {
        components = [red, green, blue, opacity]
    }
    public static let clear = Color(red: 0, green: 0, blue: 0, opacity: 0)
    public var body: Never { fatalError() }
    func resolve(_ pass: inout Pass) { pass.output(self) }
}

public struct Image: View, Primitive {
    public enum Orientation: Sendable { case up }
    public let cgImage: CGImage
    public let scale: CGFloat
    public let label: Text?
    public private(set) var isResizable = false
    public init(decorative cgImage: CGImage, scale: CGFloat, orientation: Orientation = .up) {
        (self.cgImage, self.scale, label) = (cgImage, scale, nil)
    }
    public init(_ cgImage: CGImage, scale: CGFloat, orientation: Orientation = .up, label: Text) {
        (self.cgImage, self.scale, self.label) = (cgImage, scale, label)
    }
    public func resizable() -> Image {
        var copy = self
        copy.isResizable = true
        return copy
    }
    public var body: Never { fatalError() }
    func resolve(_ pass: inout Pass) { pass.output(self) }
}

// Names that SwiftUI shares with Calotype, so that the type check finds what is ambiguous.
public enum ContentMode: Hashable, Sendable { case fit, fill }
public protocol Transition {}
public struct Circle: Sendable { public init() {} }
public struct AnyTransition: Sendable { public static let opacity = AnyTransition() }

public struct Animation: Sendable {
    public static func easeInOut(duration: TimeInterval) -> Animation { Animation(duration: duration) }
    public var duration: TimeInterval = 0
    /// The durations of all animations so far, for tests.
    @MainActor public static var started: [TimeInterval] = []
}

@MainActor public func withAnimation<R>(_ animation: Animation?, _ body: () throws -> R) rethrows -> R {
    if let animation { Animation.started.append(animation.duration) }
    return try body()
}
