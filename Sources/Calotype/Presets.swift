internal import ImageCaching
public import ImageCore
internal import ImageNetworking

// Configurations for common situations. Each can be changed further:
// `ImageLoader.standard(.memoryOnly) { $0.options.timeout = .seconds(5) }`.
extension StandardConfiguration {
    /// For apps: all default values.
    public static var standard: StandardConfiguration { StandardConfiguration() }

    /// For slow or metered networks: ``OptionLayer/lowData`` as the default options, so that nothing is fetched while
    /// ``networkMonitor`` reports an expensive network, and a data cache that keeps entries for 90 days.
    public static var lowData: StandardConfiguration {
        var configuration = StandardConfiguration()
        configuration.options = .lowData
        configuration.dataCache = DiskCache(.init(limits: .init(timeToLive: .seconds(90 * 86_400))))
        return configuration
    }

    /// Writes nothing to disk: there is no data cache.
    public static var memoryOnly: StandardConfiguration {
        var configuration = StandardConfiguration()
        configuration.options = .memoryOnly
        configuration.dataCache = nil
        return configuration
    }

    /// For an app extension, which has little memory: a memory cache of 16 MB, and a data cache of 50 MB in a directory
    /// that the extension shares with its app. Images of more than 20 megapixels are rejected, because decoding them
    /// would exceed the memory of the extension, and decodes that run at the same time take at most 80 MB, the size of
    /// one such image.
    ///
    /// - Parameter directory: the directory of the data cache, for example in the container of the app group. The app
    ///   may use it at the same time.
    public static func appExtension(sharing directory: URL) -> StandardConfiguration {
        var configuration = StandardConfiguration()
        configuration.memoryCache = MemoryCache(limits: .init(maximumBytes: 16_000_000))
        configuration.dataCache = DiskCache(.init(directory: directory, limits: .init(maximumBytes: 50_000_000)))
        configuration.options.maximumPixels = 20_000_000
        configuration.limits.concurrentDecodeBytes = 80_000_000
        return configuration
    }

    /// For servers that fetch URLs from untrusted callers: only the public web, no private addresses, and images of at
    /// most 50 megapixels and 20 MB.
    ///
    /// A load ends within 10 s and an attempt within 5 s, which leaves time to retry if a host does not respond. Images
    /// in memory are served as long as their responses are fresh (``LoadOptions/memoryFollowsFreshness``). The
    /// ``dataCache`` has a separate directory, `server` in the default one, so that it does not serve what a loader
    /// without a policy fetched from a private host.
    public static var server: StandardConfiguration {
        var configuration = StandardConfiguration()
        configuration.sourcePolicy = .publicWeb
        let directory = DiskCache.Configuration.defaultDirectory.appending(path: "server", directoryHint: .isDirectory)
        configuration.dataCache = DiskCache(.init(directory: directory))
        configuration.options.maximumPixels = 50_000_000
        configuration.options.maximumResponseBytes = 20_000_000
        configuration.options.timeout = .seconds(5)
        configuration.options.deadline = .seconds(10)
        configuration.options.memoryFollowsFreshness = true
        return configuration
    }
}
