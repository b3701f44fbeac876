/// Merges three layers into the options of a load. A later layer takes precedence: global, request, runtime.
///
/// ```swift
/// let options = try OptionsBuilder(
///     global: OptionLayer { $0.timeout = .seconds(10) },
///     request: OptionLayer { $0.targetSize = PixelSize(width: 64, height: 64) },
///     runtime: OptionLayer { $0.cachePolicy = .memoryOnly }
/// ).build()
/// ```
public struct OptionsBuilder: Sendable {
    /// The defaults of the loader.
    public var global: OptionLayer
    /// The options of the request.
    public var request: OptionLayer
    /// The overrides that the loader applies to all requests at present.
    public var runtime: OptionLayer

    /// Where the value of an option comes from.
    public enum Origin: String, Sendable, CaseIterable {
        /// No layer overrides the option: it has its default.
        case standard
        /// The global layer: the defaults of the loader.
        case global
        /// The request.
        case request
        /// The runtime layer of the loader.
        case runtime
    }

    /// Creates a builder; by default no layer has overrides.
    public init(global: OptionLayer = OptionLayer(), request: OptionLayer = OptionLayer(), runtime: OptionLayer = OptionLayer()) {
        (self.global, self.request, self.runtime) = (global, request, runtime)
    }

    /// Merges the layers.
    ///
    /// - Throws: ``ImageError/Code/invalidConfiguration``. The message names every invalid option, its value and its
    ///   layer, including options that a later layer overrides.
    public func build() throws(ImageError) -> LoadOptions {
        var (options, problems) = (LoadOptions(), [String]())
        global.apply(to: &options, as: "global", &problems)
        request.apply(to: &options, as: "request", &problems)
        runtime.apply(to: &options, as: "runtime", &problems)
        guard problems.isEmpty else {
            throw ImageError(
                .invalidConfiguration, message: "Invalid options: " + problems.joined(separator: "; ") + ".", stage: .request)
        }
        return options
    }

    /// The highest layer that sets or modifies an option.
    ///
    /// ```swift
    /// let builder = OptionsBuilder(global: OptionLayer { $0.timeout = .seconds(5) }, runtime: .lowData)
    /// print(builder.origin(of: \.timeout), builder.origin(of: \.retries))  // global runtime
    /// ```
    ///
    /// - Parameter option: an option, such as the ``OptionDescription/path`` of one of ``OptionDescription/all``.
    public func origin(of option: any PartialKeyPath<LoadOptions> & Sendable) -> Origin {
        if runtime.overrides(option) { return .runtime }
        if request.overrides(option) { return .request }
        return global.overrides(option) ? .global : .standard
    }
}
