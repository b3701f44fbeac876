internal import ArgumentParser
internal import ImageCaching
internal import ImageCore

struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Looks at the disk cache, or empties it.",
        discussion: """
            Examples:
              calotype cache stats
              calotype cache clear --cache /var/cache/thumbnails
            """,
        subcommands: [Stats.self, Clear.self])

    struct Options: ParsableArguments {
        @Option(help: ArgumentHelp("The directory of the disk cache.", valueName: "DIR"))
        var cache: String?

        @Flag(help: "Print a JSON object.")
        var json = false

        func validate() throws {
            if cache == "" { throw ValidationError("--cache needs the name of a directory.") }
        }

        var directory: String { cache ?? DiskCache.Configuration.defaultDirectory.path }

        var diskCache: DiskCache { CacheOptions.diskCache(in: cache) }
    }

    struct Stats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stats",
            abstract: "Tells how much is cached.",
            discussion: "With --json: directory, entries, bytes (of the entries), fileBytes (of the files that hold them).")

        @OptionGroup var options: Options

        func run() async throws {
            let statistics = await options.diskCache.statistics
            var object = JSONObject()
            object["directory"] = .string(options.directory)
            object["entries"] = .integer(statistics.count)
            object["bytes"] = .integer(statistics.byteCount)
            object["fileBytes"] = .integer(statistics.fileByteCount)
            let line =
                "\(options.directory): \(statistics.count) entries, \(Units.bytes(statistics.byteCount)) "
                + "in \(Units.bytes(statistics.fileByteCount)) of files"
            Console.print(options.json ? object.text : line)
        }
    }

    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear",
            abstract: "Empties the disk cache.",
            discussion: "With --json: directory, removedEntries, removedBytes.")

        @OptionGroup var options: Options

        func run() async throws {
            let cache = options.diskCache
            let before = await cache.statistics
            do {
                try await cache.removeAll()
                try await cache.flush()
            } catch {
                Console.complain(about: options.directory, Failures.sentence(error))
                throw ExitStatus.failed
            }
            var object = JSONObject()
            object["directory"] = .string(options.directory)
            object["removedEntries"] = .integer(before.count)
            object["removedBytes"] = .integer(before.byteCount)
            let line = "\(options.directory): removed \(before.count) entries, \(Units.bytes(before.byteCount))"
            Console.print(options.json ? object.text : line)
        }
    }
}
