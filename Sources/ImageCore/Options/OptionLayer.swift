/// A sparse set of overrides of ``LoadOptions``: `nil` means inherit.
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

    public init() {}

    /// A layer built in place: `OptionLayer { $0.timeout = .seconds(5) }`.
    public init(_ build: (inout OptionLayer) -> Void) { build(&self) }

    public var isEmpty: Bool { overrides.isEmpty }

    /// The override of one option; `nil` inherits.
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

    /// The override of a plug-in's option; `nil` inherits.
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

    /// One sentence part for each override that is out of range, such as `timeout = 0.0 seconds must be positive`.
    var problems: [String] { overrides.compactMap { $0.problem() } }

    /// Puts an override in the place of the one for the same option, if there is one.
    mutating func replace(_ override: Override) {
        if let index = overrides.firstIndex(where: { $0.option == override.option }) {
            overrides[index] = override
        } else {
            overrides.append(override)
        }
    }

    private func value<Value>(of option: OptionID) -> Value? {
        // Not by optional chaining: where `Value` is an optional itself, a missing override would become its `nil`.
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

/// Names an option inside a layer: a field of ``LoadOptions``, or a plug-in's key type.
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
