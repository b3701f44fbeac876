internal import ImageCaching
public import ImageCore
internal import ImageNetworking

// Configurations for common situations. Each is a start that can be changed:
// `ImageLoader.standard(.memoryOnly) { $0.options.timeout = .seconds(5) }`.
extension StandardConfiguration {
    /// For apps: every part and option as declared.
    public static var standard: StandardConfiguration { StandardConfiguration() }

    /// For networks that are slow or metered: ``OptionLayer/lowData`` as the app's defaults, and a data cache that keeps entries
    /// for 90 days.
    public static var lowData: StandardConfiguration {
        var configuration = StandardConfiguration()
        configuration.options = .lowData
        configuration.dataCache = DiskCache(.init(limits: .init(age: 90 * 86_400)))
        return configuration
    }

    /// Writes nothing to disk: no data cache at all.
    public static var memoryOnly: StandardConfiguration {
        var configuration = StandardConfiguration()
        configuration.options = .memoryOnly
        configuration.dataCache = nil
        return configuration
    }

    /// For an app extension, which runs briefly and in little memory: a memory cache of 16 MB, and a data cache of 50 MB in a
    /// directory that the extension shares with its app. Images of more than 20 megapixels are an error, since decoding them
    /// would end the extension.
    ///
    /// - Parameter directory: such as a folder in the container of the app group. The app may use it at the same time.
    public static func appExtension(sharing directory: URL) -> StandardConfiguration {
        var configuration = StandardConfiguration()
        configuration.memoryCache = MemoryCache(limits: .init(cost: 16_000_000))
        configuration.dataCache = DiskCache(.init(directory: directory, limits: .init(bytes: 50_000_000)))
        configuration.options.maximumPixels = 20_000_000
        return configuration
    }

    /// For servers that fetch URLs from untrusted callers: only the public web and no private address, images of at most 50
    /// megapixels and 20 MB. A load ends within 10 s, an attempt within 5 s, so that a silent host leaves time for a retry. Its ``dataCache`` has a directory of its own, `server` in the usual one, so that it serves
    /// nothing that a loader without a policy fetched from a private host.
    public static var server: StandardConfiguration {
        var configuration = StandardConfiguration()
        configuration.sourcePolicy = .publicWeb
        let directory = DiskCache.Configuration.defaultDirectory.appending(path: "server", directoryHint: .isDirectory)
        configuration.dataCache = DiskCache(.init(directory: directory))
        configuration.options.maximumPixels = 50_000_000
        configuration.options.maximumResponseBytes = 20_000_000
        configuration.options.timeout = .seconds(5)
        configuration.options.deadline = .seconds(10)
        return configuration
    }
}
