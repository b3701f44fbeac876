/// Overrides of some of the ``LoadOptions``. An option that is `nil` is inherited.
///
/// ```swift
/// var layer = OptionLayer()
/// layer.timeout = .seconds(5)
/// layer.targetSize = PixelSize(width: 320, height: 200)
/// layer.timeout = nil  // inherits again
/// ```
@dynamicMemberLookup
public struct OptionLayer: Sendable {
    struct Override: Sendable {
        fileprivate let option: OptionID
        let value: any Sendable
        let apply: @Sendable (inout LoadOptions) -> Void
        let problem: @Sendable () -> String?
    }

    private(set) var overrides: [Override] = []

    /// Creates a layer without overrides.
    public init() {}

    /// Creates a layer and sets its overrides: `OptionLayer { $0.timeout = .seconds(5) }`.
    public init(_ build: (inout OptionLayer) -> Void) { build(&self) }

    /// Whether the layer overrides no option.
    public var isEmpty: Bool { overrides.isEmpty }

    /// The override of an option; `nil` inherits it.
    public subscript<Value: Sendable>(dynamicMember option: any WritableKeyPath<LoadOptions, Value> & Sendable) -> Value? {
        get { value(of: .field(option)) }
        set {
            set(.field(option), to: newValue) { value in
                Override(
                    option: .field(option), value: value, apply: { $0[keyPath: option] = value },
                    problem: { OptionRules.problem(with: value, of: option) })
            }
        }
    }

    /// The override of an option that a plug-in defines; `nil` inherits it.
    public subscript<K: OptionKey>(key: K.Type) -> K.Value? {
        get { value(of: .key(ObjectIdentifier(key))) }
        set {
            set(.key(ObjectIdentifier(key)), to: newValue) { value in
                Override(
                    option: .key(ObjectIdentifier(key)), value: value, apply: { $0.extra[key] = value },
                    problem: { K.problem(with: value).map { "\(key) = \(value) \($0)" } })
            }
        }
    }

    /// Writes the overrides of this layer into `options`.
    public func apply(to options: inout LoadOptions) {
        for override in overrides { override.apply(&options) }
    }

    /// A part of a sentence for each invalid override, such as `timeout = 0.0 seconds must be positive`.
    var problems: [String] { overrides.compactMap { $0.problem() } }

    /// Adds an override, or replaces the override of the same option.
    mutating func replace(_ override: Override) {
        if let index = overrides.firstIndex(where: { $0.option == override.option }) {
            overrides[index] = override
        } else {
            overrides.append(override)
        }
    }

    private func value<Value>(of option: OptionID) -> Value? {
        // If `Value` is an optional, optional chaining would turn a missing override into a `nil` of that type.
        guard let override = overrides.first(where: { $0.option == option }) else { return nil }
        return override.value as? Value
    }

    private mutating func set<Value>(_ option: OptionID, to value: Value?, make: (Value) -> Override) {
        let index = overrides.firstIndex { $0.option == option }
        switch (index, value) {
        case (let index?, let value?): overrides[index] = make(value)
        case (nil, let value?): overrides.append(make(value))
        case (let index?, nil): overrides.remove(at: index)
        case (nil, nil): break
        }
    }
}

/// Identifies an option in a layer: a field of ``LoadOptions``, or the key type of a plug-in.
private enum OptionID: Hashable, Sendable {
    case field(any PartialKeyPath<LoadOptions> & Sendable)
    case key(ObjectIdentifier)

    static func == (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.field(let a), .field(let b)): a as AnyKeyPath == b as AnyKeyPath
        case (.key(let a), .key(let b)): a == b
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .field(let path): hasher.combine(path as AnyKeyPath)
        case .key(let key): hasher.combine(key)
        }
    }
}
