// What the examples for the guides use besides.

public struct ProgressView: View, Primitive {
    public init() {}
    public init(value: Double?) {}
    public var body: Never { fatalError() }
    func resolve(_ pass: inout Pass) { pass.output(self) }
}

public struct ScrollView<Content: View>: View {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError() }
}

public struct GridItem: Sendable {
    public enum Size: Sendable { case adaptive(minimum: CGFloat) }
    public init(_ size: Size) {}
}

public struct LazyVGrid<Content: View>: View {
    public init(columns: [GridItem], @ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError() }
}

public struct ForEach<Element, ID: Hashable, Content: View>: View {
    public init(_ elements: [Element], id: KeyPath<Element, ID>, @ViewBuilder content: @escaping (Element) -> Content) {}
    public var body: Never { fatalError() }
}
