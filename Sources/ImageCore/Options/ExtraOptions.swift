/// The values of the options that plug-ins define, by key type.
public struct ExtraOptions: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]

    /// Creates options that all have their default values.
    public init() {}

    /// The value of an option.
    public subscript<K: OptionKey>(key: K.Type) -> K.Value {
        get { values[ObjectIdentifier(key)] as? K.Value ?? K.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}
