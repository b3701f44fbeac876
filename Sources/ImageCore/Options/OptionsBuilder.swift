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

    /// Creates a builder; by default no layer has overrides.
    public init(global: OptionLayer = OptionLayer(), request: OptionLayer = OptionLayer(), runtime: OptionLayer = OptionLayer()) {
        self.global = global
        self.request = request
        self.runtime = runtime
    }

    /// Merges the layers.
    ///
    /// - Throws: ``ImageError/Code/invalidConfiguration``. The message names every invalid option, its value and its layer,
    ///   including options that a later layer overrides.
    public func build() throws(ImageError) -> LoadOptions {
        let problems = (global.problems, request.problems, runtime.problems)
        guard problems.0.isEmpty, problems.1.isEmpty, problems.2.isEmpty else {
            let named = [("global", problems.0), ("request", problems.1), ("runtime", problems.2)]
                .flatMap { name, problems in problems.map { "\($0) (\(name) layer)" } }
            throw ImageError(
                .invalidConfiguration, message: "Invalid options: " + named.joined(separator: "; ") + ".", stage: .request)
        }
        var options = LoadOptions()
        global.apply(to: &options)
        request.apply(to: &options)
        runtime.apply(to: &options)
        return options
    }
}
