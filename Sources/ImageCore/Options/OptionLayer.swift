/// Overrides of some of the ``LoadOptions``. An option that is `nil` is inherited from the layer below.
///
/// ```swift
/// var layer = OptionLayer()
/// layer.timeout = .seconds(5)
/// layer.targetSize = PixelSize(width: 320, height: 200)
/// layer.timeout = nil  // inherits again
/// layer.setToNone(\.targetSize)  // the full size, whatever the layer below says
/// layer.modify(\.cachePolicy) { $0.remove(.writesDisk) }  // all else as the layer below says
/// ```
///
/// Swift reads `.none` as `nil` here, which inherits: write `Placeholder.none` or `ImageTransition.none` to override an
/// option with that case.
///
/// Layers are equal if they override the same options with equal values: processors are compared by their identifiers,
/// and images by whether they share their pixels. Changes, and values that cannot be compared, are never equal.
@dynamicMemberLookup
public struct OptionLayer: Sendable, Equatable {
    struct Override: Sendable {
        fileprivate let option: OptionID
        /// The value of the option; `nil` for a change of the inherited value.
        fileprivate let value: (any Sendable)?
        /// Writes the override into options, and returns what is wrong with the option then.
        let apply: @Sendable (inout LoadOptions) -> String?
    }

    private(set) var overrides: [Override] = []

    public static func == (a: OptionLayer, b: OptionLayer) -> Bool {
        a.overrides.count == b.overrides.count
            && a.overrides.allSatisfy { override in
                guard let value = override.value, let other = b.value(of: override.option) else { return false }
                return areEqualOptions(value, other)
            }
    }

    /// Creates a layer without overrides.
    public init() {}

    /// Creates a layer and sets its overrides: `OptionLayer { $0.timeout = .seconds(5) }`.
    public init(_ build: (inout OptionLayer) -> Void) { build(&self) }

    /// Whether the layer overrides no option.
    public var isEmpty: Bool { overrides.isEmpty }

    /// The override of an option; `nil` inherits it.
    public subscript<Value: Sendable>(dynamicMember option: any WritableKeyPath<LoadOptions, Value> & Sendable) -> Value? {
        get { value(of: .field(option)) as? Value }
        set { set(.field(option), to: newValue.map { Self.override(option, with: $0) }) }
    }

    /// The override of an option that may be none; `nil` inherits it, and ``setToNone(_:)`` overrides it with none.
    public subscript<Value: Sendable>(dynamicMember option: any WritableKeyPath<LoadOptions, Value?> & Sendable) -> Value? {
        get { value(of: .field(option)) as? Value }
        set { set(.field(option), to: newValue.map { Self.override(option, with: $0) }) }
    }

    /// The override of an option that a plug-in defines; `nil` inherits it.
    public subscript<K: OptionKey>(key: K.Type) -> K.Value? {
        get { value(of: .key(ObjectIdentifier(key))) as? K.Value }
        set {
            let override = newValue.map { value in
                Override(option: .key(ObjectIdentifier(key)), value: value) {
                    $0.extra[key] = value
                    return K.problem(with: value).map { "\(key) = \(value) \($0)" }
                }
            }
            set(.key(ObjectIdentifier(key)), to: override)
        }
    }

    /// Overrides an option with none, such as the target size with the full size, whatever the layer below says.
    public mutating func setToNone<Value: Sendable>(_ option: any WritableKeyPath<LoadOptions, Value?> & Sendable) {
        set(.field(option), to: Self.override(option, with: Value?.none))
    }

    /// Changes the value that the layer below gives to an option, instead of replacing it: adds a header field, an
    /// interceptor or a processor to those that are there.
    ///
    /// ```swift
    /// var request = ImageRequest(url: URL(string: "https://example.org/cat.jpg")!)
    /// request.options.modify(\.headers) { $0[.acceptLanguage] = "de" }
    /// ```
    ///
    /// If this layer sets the option, that value is changed. Setting the option later discards the change.
    ///
    /// - Parameters:
    ///   - option: the option to change.
    ///   - change: changes the value; called for every load.
    public mutating func modify<Value: Sendable>(
        _ option: any WritableKeyPath<LoadOptions, Value> & Sendable, _ change: @escaping @Sendable (inout Value) -> Void
    ) {
        let id = OptionID.field(option)
        // Unwrapped first: a missing value could be cast to an optional `Value`.
        if let last = overrides.lastIndex(where: { $0.option == id }), let set = overrides[last].value, var value = set as? Value
        {
            change(&value)
            overrides[last] = Self.override(option, with: value)
        } else {
            overrides.append(
                Override(option: id, value: nil) {
                    change(&$0[keyPath: option])
                    return nil
                })
        }
    }

    /// Writes the overrides of this layer into `options`, and adds to `problems` a part of a sentence for each value
    /// that is invalid since, such as `timeout = 0.0 seconds must be positive (global layer)`.
    func apply(to options: inout LoadOptions, as layer: StaticString, _ problems: inout [String]) {
        if isEmpty { return }
        let ofPlugIns = overrides.compactMap { $0.apply(&options) }
        for problem in ofPlugIns + options.problems where !problems.contains(where: { $0.hasPrefix(problem + " (") }) {
            problems.append("\(problem) (\(layer) layer)")
        }
    }

    /// Whether the layer sets or changes an option.
    package func overrides(_ option: any PartialKeyPath<LoadOptions> & Sendable) -> Bool {
        overrides.contains { $0.option == .field(option) }
    }

    /// Adds an override of a higher layer. A value replaces what there is for the option; a change comes after it.
    mutating func add(_ override: Override) {
        if override.value == nil { overrides.append(override) } else { set(override.option, to: override) }
    }

    private static func override<Value: Sendable>(
        _ option: any WritableKeyPath<LoadOptions, Value> & Sendable, with value: Value
    ) -> Override {
        Override(option: .field(option), value: .some(value)) {
            $0[keyPath: option] = value
            return nil
        }
    }

    private func value(of option: OptionID) -> (any Sendable)? { overrides.first { $0.option == option }?.value }

    private mutating func set(_ option: OptionID, to override: Override?) {
        guard let index = overrides.firstIndex(where: { $0.option == option }) else {
            if let override { overrides.append(override) }
            return
        }
        if let override { overrides[index] = override }
        let kept = override == nil ? index : index + 1
        overrides[kept...].removeAll { $0.option == option }
    }
}

/// Identifies an option in a layer: a field of ``LoadOptions``, or the key type of a plug-in.
private enum OptionID: Equatable, Sendable {
    case field(any PartialKeyPath<LoadOptions> & Sendable)
    case key(ObjectIdentifier)

    static func == (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.field(let a), .field(let b)): a as AnyKeyPath == b as AnyKeyPath
        case (.key(let a), .key(let b)): a == b
        default: false
        }
    }
}
