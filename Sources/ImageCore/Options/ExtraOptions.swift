/// The values of the options that plug-ins define, by key type.
///
/// Network layers and interceptors get them in ``DataRequest/extra``, decoders in ``DecodeOptions/extra``, processors
/// in ``ProcessingContext/extra``, encoders in ``EncodeOptions/extra``, and views by
/// ``ImageViewAdapter/setExtraOptions(_:)``.
public struct ExtraOptions: Sendable, Equatable {
    private struct Entry: Sendable, Equatable {
        let value: any Sendable
        let effect: OptionEffect
        /// The option in a cache key; empty for one that is in none.
        let text: String

        static func == (a: Entry, b: Entry) -> Bool { areEqualOptions(a.value, b.value) }
    }

    private var entries: [ObjectIdentifier: Entry] = [:]

    /// Creates options that all have their default values.
    public init() {}

    /// Whether no option is set.
    public var isEmpty: Bool { entries.isEmpty }

    /// The value of an option.
    public subscript<K: OptionKey>(key: K.Type) -> K.Value {
        get { entries[ObjectIdentifier(key)]?.value as? K.Value ?? K.defaultValue }
        set {
            var entry = Entry(value: newValue, effect: .none, text: "")
            if K.effect != .none, case let text = K.text(of: newValue), text != K.text(of: K.defaultValue) {
                entry = Entry(value: newValue, effect: K.effect, text: "\(K.name)=\(text)")
            }
            entries[ObjectIdentifier(key)] = entry
        }
    }

    /// The options that change the response, or the image that is made of it, as texts for a cache key, in a stable
    /// order.
    package func texts(changing effect: OptionEffect) -> [String] {
        entries.isEmpty ? [] : entries.values.filter { $0.effect == effect }.map(\.text).sorted()
    }
}

/// Whether two values of an option are equal: processors by their identifiers, other values by `==`. Values that cannot
/// be compared are not equal.
func areEqualOptions(_ a: any Sendable, _ b: any Sendable) -> Bool {
    func isEqual<Value: Equatable>(_ a: Value, to b: Any) -> Bool { a == b as? Value }
    if let a = a as? any Equatable { return isEqual(a, to: b) }
    guard let a = a as? [any Processing], let b = b as? [any Processing] else { return false }
    return a.map(\.identifier) == b.map(\.identifier)
}
