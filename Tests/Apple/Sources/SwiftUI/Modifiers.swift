/// A view with a modifier.
public struct Modified<Content: View>: View, Primitive {
    var content: Content
    var modifier: Modifier
    public var body: Never { fatalError() }
    func resolve(_ pass: inout Pass) { pass.apply(modifier) { pass in pass.show(content, "m") } }
}

@MainActor enum Modifier {
    case none
    case onAppear(() -> Void)
    case onDisappear(() -> Void)
    case onChange(AnyHashable, () -> Void)
    case background(any View)
    case accessibility((inout Accessibility) -> Void)
    case environment((inout EnvironmentValues) -> Void)
}

/// What a screen reader speaks for a view.
public struct Accessibility: Equatable {
    public var label: String?
    public var isOneElement = false
    public var isImage = false
    public init(label: String? = nil, isOneElement: Bool = false, isImage: Bool = false) {
        (self.label, self.isOneElement, self.isImage) = (label, isOneElement, isImage)
    }
}

public struct AccessibilityChildBehavior: Hashable, Sendable {
    public static let ignore = AccessibilityChildBehavior()
}
public struct AccessibilityTraits: Sendable { public static let isImage = AccessibilityTraits() }

/// A value for `onChange`, which compares any `Equatable` value.
private struct Observed<Value: Equatable>: Hashable {
    let value: Value
    func hash(into hasher: inout Hasher) {}
}

extension View {
    private func modified(_ modifier: Modifier) -> Modified<Self> { Modified(content: self, modifier: modifier) }

    public func onAppear(perform action: (() -> Void)? = nil) -> some View { modified(action.map { .onAppear($0) } ?? .none) }
    public func onDisappear(perform action: (() -> Void)? = nil) -> some View {
        modified(action.map { .onDisappear($0) } ?? .none)
    }
    public func onChange<V: Equatable>(of value: V, perform action: @escaping (_ newValue: V) -> Void) -> some View {
        modified(.onChange(Observed(value: value)) { action(value) })
    }
    public func onChange<V: Equatable>(of value: V, initial: Bool = false, _ action: @escaping () -> Void) -> some View {
        modified(.onChange(Observed(value: value), action))
    }
    public func background<V: View>(alignment: Alignment = .center, @ViewBuilder content: () -> V) -> some View {
        modified(.background(content()))
    }
    public func accessibilityLabel(_ label: Text) -> some View { modified(.accessibility { $0.label = label.text }) }
    public func accessibilityElement(children: AccessibilityChildBehavior = .ignore) -> some View {
        modified(.accessibility { $0.isOneElement = true })
    }
    public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View {
        modified(.accessibility { $0.isImage = true })
    }
    public func transition(_ transition: AnyTransition) -> some View { modified(.none) }
    public func transition(_ transition: some Transition) -> some View { modified(.none) }
    public func frame(width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center) -> some View {
        modified(.environment { $0.hostSize = CGSize(width: width ?? 0, height: height ?? 0) })
    }
    public func environment<V>(_ path: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some View {
        modified(.environment { $0[keyPath: path] = value })
    }
    public func scaledToFill() -> some View { modified(.none) }
    public func scaledToFit() -> some View { modified(.none) }
    public func clipped(antialiased: Bool = false) -> some View { modified(.none) }
}
