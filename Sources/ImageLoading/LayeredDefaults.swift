internal import HTTPTypes
internal import ImageCore

/// The layers that every load of a loader shares, global and runtime, merged once when they are set and not at each load.
final class LayeredDefaults: Sendable {
    let global: OptionLayer
    let runtime: OptionLayer
    /// The options, or the problem, of a request that sets none of its own.
    let plain: Result<LoadOptions, ImageError>
    /// What a request without options of its own reads from the memory cache: the end of its key; `nil` when it reads
    /// nothing, or when its key needs more.
    let plainVariant: String?

    init(global: OptionLayer, runtime: OptionLayer) {
        self.global = global
        self.runtime = runtime
        do {
            let options = try OptionsBuilder(global: global, runtime: runtime).build()
            plain = .success(options)
            let readsByVariant = options.cachePolicy.readsMemory && options.headers.isEmpty
            plainVariant = readsByVariant ? LoadPlan.variants(options).last : nil
        } catch {
            plain = .failure(error)
            plainVariant = nil
        }
    }

    /// The merged options of a request.
    func options(for request: ImageRequest) throws(ImageError) -> LoadOptions {
        request.options.isEmpty
            ? try plain.get() : try OptionsBuilder(global: global, request: request.options, runtime: runtime).build()
    }
}
