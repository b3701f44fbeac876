internal import ImageCaching
public import ImageCore

// Parts for common situations; ``StandardParts/server`` is one too. Each is changed like the standard parts are:
// `ImageLoader.standard(.memoryOnly) { $0.options.timeout = .seconds(5) }`.
extension StandardParts {
    /// For apps: every part and option as it is declared.
    public static var standard: StandardParts { StandardParts() }

    /// For lines that are slow or cost money: ``OptionLayer/lowData`` as the app's defaults, and a data cache that keeps
    /// what it has for 90 days.
    public static var lowData: StandardParts {
        var parts = StandardParts()
        parts.options = .lowData
        parts.dataCache = DiskCache(.init(limits: .init(age: 90 * 86_400)))
        return parts
    }

    /// Leaves no trace on disk: no data cache at all.
    public static var memoryOnly: StandardParts {
        var parts = StandardParts()
        parts.options = .memoryOnly
        parts.dataCache = nil
        return parts
    }

    /// For an app extension, which lives briefly and in little memory: a memory cache of 16 MB, and a data cache of 50 MB in
    /// a directory that the extension shares with its app.
    ///
    /// - Parameter directory: such as a folder in the container of the app group. The app may use it at the same time.
    public static func appExtension(sharing directory: URL) -> StandardParts {
        var parts = StandardParts()
        parts.memoryCache = MemoryCache(limits: .init(cost: 16_000_000))
        parts.dataCache = DiskCache(.init(directory: directory, limits: .init(bytes: 50_000_000)))
        // A picture that would fill an extension's memory is an error instead of its end.
        parts.options.maximumPixels = 20_000_000
        return parts
    }
}
