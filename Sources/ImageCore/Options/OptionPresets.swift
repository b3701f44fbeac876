// Layers for common situations. Each can be used as any of the three layers, and can be changed.
extension OptionLayer {
    /// A layer without overrides.
    public static var standard: OptionLayer { OptionLayer() }

    /// For slow or metered networks: no expensive network, one retry, bodies of at most 2 MB. As the runtime options of
    /// a loader it overrides its requests.
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

    /// Neither reads from disk nor writes to it.
    public static var memoryOnly: OptionLayer { OptionLayer { $0.cachePolicy = .memoryOnly } }

    /// Returns this layer with the overrides of another layer, which take precedence. What the other layer modifies is
    /// modified after this layer has set it.
    public func merging(_ other: OptionLayer) -> OptionLayer {
        var merged = self
        for override in other.overrides { merged.add(override) }
        return merged
    }
}
