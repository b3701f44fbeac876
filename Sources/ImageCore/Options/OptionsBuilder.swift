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
