/// The key of an option that a plug-in defines. Its values travel in the same layers as the built-in options.
///
/// ```swift
/// enum Watermark: OptionKey {
///     static let defaultValue = "none"
/// }
/// var layer = OptionLayer()
/// layer[Watermark.self] = "draft"
/// let options = try OptionsBuilder(request: layer).build()
/// print(options.extra[Watermark.self])
/// ```
public protocol OptionKey: Sendable {
    /// The type of the option.
    associatedtype Value: Sendable
    /// The value if no layer sets one.
    static var defaultValue: Value { get }
    /// Checks a value when the options are built.
    ///
    /// - Returns: the end of the sentence "`name` = `value` …" that says why the value is invalid, or `nil`, the default, if it
    ///   is valid.
    static func problem(with value: Value) -> String?
}

extension OptionKey {
    public static func problem(with value: Value) -> String? { nil }
}
