/// Merges the three layers into the options of one load: global first, then the request's, then the runtime override,
/// which wins.
///
/// ```swift
/// let options = try OptionsBuilder(
///     global: OptionLayer { $0.timeout = .seconds(10) },
///     request: OptionLayer { $0.targetSize = PixelSize(width: 64, height: 64) },
///     runtime: OptionLayer { $0.cachePolicy = .memoryOnly }
/// ).build()
/// ```
public struct OptionsBuilder: Sendable {
    public var global: OptionLayer
    public var request: OptionLayer
    public var runtime: OptionLayer

    public init(global: OptionLayer = OptionLayer(), request: OptionLayer = OptionLayer(), runtime: OptionLayer = OptionLayer()) {
        self.global = global
        self.request = request
        self.runtime = runtime
    }

    /// The merged options.
    ///
    /// - Throws: ``ImageError/Code/invalidConfiguration`` with one message that names every bad option, its value and
    ///   its layer, an option that a later layer overrules included.
    public func build() throws(ImageError) -> LoadOptions {
        let problems = [("global", global), ("request", request), ("runtime", runtime)]
            .flatMap { name, layer in layer.problems.map { "\($0) (\(name) layer)" } }
        guard problems.isEmpty else {
            throw ImageError(
                .invalidConfiguration, message: "Invalid options: " + problems.joined(separator: "; ") + ".", stage: .request)
        }
        var options = LoadOptions()
        for layer in [global, request, runtime] { layer.apply(to: &options) }
        return options
    }
}
