internal import ArgumentParser
internal import ImageCaching
internal import ImageCore

/// `--cache` and `--no-cache`.
struct CacheOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The directory of the disk cache; it is created if it does not exist. \(CacheOptions.defaultHelp)", valueName: "DIR"))
    var cache: String?

    @Flag(help: "Read and write no cache.")
    var noCache = false

    func validate() throws {
        if noCache, cache != nil { throw ValidationError("--cache and --no-cache exclude each other; use one of them.") }
        if cache == "" { throw ValidationError("--cache needs the path of a directory.") }
    }

    static let defaultHelp = "Default: calotype in the user's cache directory, such as ~/.cache/calotype."

    /// The disk cache in `directory`, by default in the user's cache directory.
    static func diskCache(in directory: String?) -> DiskCache {
        var configuration = DiskCache.Configuration(onWarning: { Console.printError($0.message) })
        if let directory { configuration.directory = URL(filePath: directory, directoryHint: .isDirectory) }
        return DiskCache(configuration)
    }
}
