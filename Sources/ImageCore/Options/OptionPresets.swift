// Layers for common situations, to be used as they are or as a start. Each can be any of the three layers.
extension OptionLayer {
    /// Every option as it is declared: a layer that overrides nothing.
    public static var standard: OptionLayer { OptionLayer() }

    /// For networks that are slow or metered: no expensive network, one retry, bodies of at most 2 MB. As the runtime layer it
    /// overrides what requests set.
    ///
    /// ```swift
    /// func follow(isLowData: Bool, _ loader: ImageLoader, _ prefetcher: ImagePrefetcher) {
    ///     loader.runtimeOptions = isLowData ? .lowData : .standard
    ///     prefetcher.isPaused = isLowData
    /// }
    /// ```
    public static var lowData: OptionLayer {
        OptionLayer {
            $0.allowsExpensiveNetwork = false
            $0.retries = 1
            $0.maximumResponseBytes = 2_000_000
        }
    }

    /// Nothing is written to disk, and nothing read from there.
    public static var memoryOnly: OptionLayer { OptionLayer { $0.cachePolicy = .memoryOnly } }

    /// This layer with the overrides of another, which win.
    public func merging(_ other: OptionLayer) -> OptionLayer {
        var merged = self
        for override in other.overrides { merged.replace(override) }
        return merged
    }
}
