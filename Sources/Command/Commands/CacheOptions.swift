internal import ArgumentParser
internal import ImageCaching
internal import ImageCore

/// `--cache` and `--no-cache`.
struct CacheOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The directory of the disk cache, made when it is missing.", valueName: "DIR"))
    var cache: String?

    @Flag(help: "Neither read nor write any cache.")
    var noCache = false

    func validate() throws {
        if noCache, cache != nil { throw ValidationError("--cache and --no-cache exclude each other.") }
        if cache == "" { throw ValidationError("--cache needs the name of a directory.") }
    }

    /// The disk cache in its directory, or in the usual one.
    static func diskCache(in directory: String?) -> DiskCache {
        var configuration = DiskCache.Configuration(onWarning: { Console.complain($0.message) })
        if let directory { configuration.directory = URL(filePath: directory, directoryHint: .isDirectory) }
        return DiskCache(configuration)
    }
}
