internal import HTTPTypes
internal import ImageCore

/// The layers that every load of a loader shares, global and runtime, merged once when they are set and not at each
/// load.
final class LayeredDefaults: Sendable {
    let global: OptionLayer
    let runtime: OptionLayer
    private let encodes: Bool
    /// The options, or the error, of a request that sets no options.
    private let plain: Result<MergedOptions, ImageError>
    /// What a request that sets no options reads from the memory cache: the end of its key; `nil` when it reads
    /// nothing, or when its key needs more.
    let variantWithoutOptions: ImageVariant?

    /// - Parameter encodes: whether the loader can keep finished images on disk.
    init(global: OptionLayer, runtime: OptionLayer, encodes: Bool) {
        self.global = global
        self.runtime = runtime
        self.encodes = encodes
        do {
            let merged = MergedOptions(try OptionsBuilder(global: global, runtime: runtime).build(), encodes: encodes)
            plain = .success(merged)
            let options = merged.options
            let readsByVariant =
                options.cachePolicy.readsMemory && options.headers.isEmpty && options.interceptors.isEmpty
                && options.extra.isEmpty
            variantWithoutOptions = readsByVariant ? merged.variant : nil
        } catch {
            plain = .failure(error)
            variantWithoutOptions = nil
        }
    }

    /// Whether a request leaves its priority to the lowest layer, or to the caller.
    func inheritsPriority(_ request: ImageRequest) -> Bool {
        !request.options.overrides(\.priority) && !runtime.overrides(\.priority)
    }

    /// The merged options of a request.
    func options(for request: ImageRequest) throws(ImageError) -> MergedOptions {
        guard !request.options.isEmpty else { return try plain.get() }
        return MergedOptions(
            try OptionsBuilder(global: global, request: request.options, runtime: runtime).build(), encodes: encodes)
    }
}
