/// The key of an option that a plug-in defines. Its values travel in the same layers as the built-in options, and reach
/// the plug-in: see ``ExtraOptions``.
///
/// ```swift
/// enum Watermark: OptionKey {
///     static let defaultValue = "none"
///     static let effect = OptionEffect.image
/// }
/// struct Marking: Processing {
///     var identifier: String { "example.marking" }
///     func process(_ image: DecodedImage, context: ProcessingContext) -> DecodedImage {
///         print("draw \(context.extra[Watermark.self])")
///         return image
///     }
/// }
/// var layer = OptionLayer { $0.processors = [Marking()] }
/// layer[Watermark.self] = "draft"
/// ```
public protocol OptionKey: Sendable {
    /// The type of the option.
    associatedtype Value: Sendable
    /// The value if no layer sets one.
    static var defaultValue: Value { get }
    /// What the option changes; nothing, by default. An option that changes a result must say so: loads that differ
    /// only in an option without effect share results.
    static var effect: OptionEffect { get }
    /// Names the option in cache keys. It must be unique and not change between launches; by default the name of the
    /// type with its module. Used only for options with an effect.
    static var name: String { get }
    /// A value as text for cache keys: different for values with different effects, and the same at each launch; by
    /// default the description of the value. Used only for options with an effect.
    static func text(of value: Value) -> String
    /// Checks a value when the options are built.
    ///
    /// - Returns: the end of the sentence "`name` = `value` …" that says why the value is invalid, or `nil`, the
    ///   default, if it is valid.
    static func problem(with value: Value) -> String?
}

extension OptionKey {
    public static var effect: OptionEffect { .none }

    public static var name: String {
        // The name of a private type contains an address, which differs at each launch.
        String(reflecting: Self.self).split(separator: ".").filter { !$0.hasPrefix("(unknown context") }.joined(separator: ".")
    }

    public static func text(of value: Value) -> String { "\(value)" }

    public static func problem(with value: Value) -> String? { nil }
}
