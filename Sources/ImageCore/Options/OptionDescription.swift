/// One of the ``LoadOptions`` by its name, for a form of settings, a debugger, or a file of settings.
///
/// ```swift
/// let options = LoadOptions()
/// for option in OptionDescription.all {
///     print(option.name, options[keyPath: option.path], option.unit ?? "")
/// }
/// ```
public struct OptionDescription: Sendable {
    /// The name of the property, such as `timeout`.
    public let name: String
    /// Reads the option. ``writablePath(to:)`` writes it.
    public let path: any PartialKeyPath<LoadOptions> & Sendable
    /// The unit of numbers, such as `bytes`; `nil` for a `Duration`, and for what is not a number.
    public let unit: String?

    /// The path of an option with values of a type, which ``OptionLayer`` takes too; `nil` if the option has another
    /// type.
    ///
    /// ```swift
    /// var layer = OptionLayer()
    /// for option in OptionDescription.all {
    ///     if let flag = option.writablePath(to: Bool.self) { layer[dynamicMember: flag] = true }
    /// }
    /// ```
    ///
    /// - Parameter type: the type of the property, such as `Bool.self` or `(Int?).self`.
    public func writablePath<Value>(to type: Value.Type) -> (any WritableKeyPath<LoadOptions, Value> & Sendable)? {
        guard let path = path as? WritableKeyPath<LoadOptions, Value> else { return nil }
        // `Sendable`, which `path` has, has no conformance that a cast could look for.
        return unsafe unsafeBitCast(path, to: (any WritableKeyPath<LoadOptions, Value> & Sendable).self)
    }

    private init(_ name: String, _ path: any PartialKeyPath<LoadOptions> & Sendable, unit: String? = nil) {
        (self.name, self.path, self.unit) = (name, path, unit)
    }

    /// All options in the order in which ``LoadOptions`` declares them, without those that plug-ins define.
    public static let all: [OptionDescription] = [
        Self("cachePolicy", \.cachePolicy), Self("cachePriority", \.cachePriority), Self("storesToDisk", \.storesToDisk),
        Self("diskStorage", \.diskStorage), Self("priority", \.priority), Self("timeout", \.timeout),
        Self("deadline", \.deadline), Self("retries", \.retries, unit: "attempts"), Self("headers", \.headers),
        Self("interceptors", \.interceptors), Self("loadInterceptors", \.loadInterceptors),
        Self("allowsExpensiveNetwork", \.allowsExpensiveNetwork),
        Self("maximumPixels", \.maximumPixels, unit: "pixels"),
        Self("maximumResponseBytes", \.maximumResponseBytes, unit: "bytes"),
        Self("targetSize", \.targetSize, unit: "pixels"), Self("contentMode", \.contentMode),
        Self("sizesToTarget", \.sizesToTarget), Self("processors", \.processors),
        Self("appliesOrientation", \.appliesOrientation), Self("convertsToSRGB", \.convertsToSRGB),
        Self("convertsTo8Bit", \.convertsTo8Bit), Self("alpha", \.alpha), Self("frame", \.frame),
        Self("animates", \.animates), Self("animationPlays", \.animationPlays, unit: "loops"),
        Self("autoplays", \.autoplays), Self("allowsPartial", \.allowsPartial), Self("previews", \.previews),
        Self("showsLargerCachedImage", \.showsLargerCachedImage),
        Self("memoryFollowsFreshness", \.memoryFollowsFreshness), Self("memoryLifetime", \.memoryLifetime),
        Self("diskLifetime", \.diskLifetime), Self("placeholder", \.placeholder),
        Self("keepsImageWhileLoading", \.keepsImageWhileLoading), Self("failureImage", \.failureImage),
        Self("transition", \.transition), Self("offScreenPolicy", \.offScreenPolicy),
        Self("showsTierBadge", \.showsTierBadge), Self("accessibilityLabel", \.accessibilityLabel),
        Self("logContext", \.logContext),
    ]
}
