internal import ArgumentParser
internal import ImageCaching
internal import ImageCore

struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Prints, checks, trims or clears the disk cache.",
        discussion: """
            Examples:
              calotype cache stats
              calotype cache list --json
              calotype cache verify --cache /var/cache/thumbnails
              calotype cache trim 100MB
              calotype cache clear
            """,
        subcommands: [Stats.self, List.self, Verify.self, Trim.self, Clear.self])

    struct Options: ParsableArguments {
        @Option(help: ArgumentHelp("The directory of the disk cache. \(CacheOptions.defaultHelp)", valueName: "DIR"))
        var cache: String?

        @Flag(help: "Print one JSON object.")
        var json = false

        func validate() throws {
            if cache == "" { throw ValidationError("--cache needs the path of a directory.") }
        }

        var directory: String { cache ?? DiskCache.Configuration.defaultDirectory.path }

        /// The open disk cache. If it cannot be opened, throws the exit status.
        func openedCache() async throws -> DiskCache {
            let cache = CacheOptions.diskCache(in: cache)
            // The cache has already reported the reason on standard error.
            guard (try? await cache.requireOpen()) != nil else { throw ExitStatus.failed }
            return cache
        }

        /// Prints the members as a JSON object that begins with the directory, or prints the line of text.
        func print(_ members: [(name: String, value: JSON)], _ line: String) {
            Console.print(json ? JSON.object([("directory", .string(directory))] + members).text : "\(directory): \(line)")
        }

        /// Changes the cache and writes it to disk. Returns its statistics before and after. Reports an error, and then
        /// throws the exit status.
        func change(
            _ change: (DiskCache) async throws -> Void
        ) async throws -> (before: CacheStatistics, after: CacheStatistics) {
            let cache = try await openedCache()
            let before = await cache.statistics
            do {
                try await change(cache)
                try await cache.flush()
            } catch {
                Console.printError(Failures.message(for: error), source: directory)
                throw ExitStatus.failed
            }
            return (before, await cache.statistics)
        }
    }

    struct Stats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stats",
            abstract: "Prints the number of entries and their size.",
            discussion: "With --json: directory, entries, bytes (of the entries), fileBytes (of the files on disk).")

        @OptionGroup var options: Options

        func run() async throws {
            let statistics = try await options.openedCache().statistics
            let (count, bytes, fileBytes) = (statistics.count, statistics.byteCount, statistics.fileByteCount)
            options.print(
                [("entries", .integer(count)), ("bytes", .integer(bytes)), ("fileBytes", .integer(fileBytes))],
                "\(Units.entries(count)), \(Units.bytes(bytes)) in \(Units.bytes(fileBytes)) of files")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the entries, the most recently used first.",
            discussion: """
                The name of an entry is a hash that does not reveal its URL. With --json: directory, entries (an array of objects \
                with name, bytes, storedAt in seconds since 1970).
                """)

        @OptionGroup var options: Options

        func run() async throws {
            let items = try await options.openedCache().items
            guard !options.json else {
                let list = items.map { item in
                    JSON.object([
                        ("name", .string(item.name)), ("bytes", .integer(item.byteCount)), ("storedAt", .number(item.writtenAt)),
                    ])
                }
                return options.print([("entries", .array(list))], "")
            }
            guard !items.isEmpty else { return options.print([], "no entries") }
            let now = SystemClock.secondsSince1970()
            let row = TableRow([(.left, items.map(\.name.count).max() ?? 0), (.right, 7), (.right, 7)])
            Console.print(row.line(["name", "size", "age"]))
            for item in items {
                Console.print(row.line([item.name, Units.bytes(item.byteCount), age(now - item.writtenAt)]))
            }
        }

        private func age(_ seconds: Double) -> String {
            switch seconds {
            case ..<120: Units.fixed(max(0, seconds), 0) + " s"
            case ..<7_200: Units.fixed(seconds / 60, 0) + " min"
            case ..<172_800: Units.fixed(seconds / 3_600, 0) + " h"
            default: Units.fixed(seconds / 86_400, 0) + " d"
            }
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Reads every entry and removes those that are damaged.",
            discussion: "The exit status is 1 if an entry was damaged. With --json: directory, entries, bytes, damaged.")

        @OptionGroup var options: Options

        func run() async throws {
            let found = try await options.openedCache().verify()
            options.print(
                [
                    ("entries", .integer(found.count)), ("bytes", .integer(found.byteCount)),
                    ("damaged", .integer(found.damagedCount)),
                ],
                "\(Units.entries(found.count)), \(Units.bytes(found.byteCount)), \(found.damagedCount) damaged and removed")
            if found.damagedCount > 0 { throw ExitStatus.failed }
        }
    }

    struct Trim: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "trim",
            abstract: "Removes the least recently used entries until the files are small enough.",
            discussion: "With --json: directory, removedEntries, removedBytes (of the files on disk), fileBytes (that remain).")

        @Argument(
            help: ArgumentHelp("The largest total size of the files: bytes, or a number with kB, MB or GB.", valueName: "SIZE"))
        var size: ByteCount

        @OptionGroup var options: Options

        func run() async throws {
            let (before, after) = try await options.change { try await $0.trim(toBytes: size.bytes) }
            let (entries, bytes) = (before.count - after.count, before.fileByteCount - after.fileByteCount)
            options.print(
                [
                    ("removedEntries", .integer(entries)), ("removedBytes", .integer(bytes)),
                    ("fileBytes", .integer(after.fileByteCount)),
                ],
                "removed \(Units.entries(entries)), \(Units.bytes(bytes)) of files; \(Units.bytes(after.fileByteCount)) remain")
        }
    }

    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear",
            abstract: "Removes all entries of the disk cache.",
            discussion: "With --json: directory, removedEntries, removedBytes.")

        @OptionGroup var options: Options

        func run() async throws {
            let (before, _) = try await options.change { try await $0.removeAll() }
            options.print(
                [("removedEntries", .integer(before.count)), ("removedBytes", .integer(before.byteCount))],
                "removed \(Units.entries(before.count)), \(Units.bytes(before.byteCount))")
        }
    }
}

/// A number of bytes such as `1500`, `64kB` or `1.5 GB`; 1 kB is 1000 bytes.
struct ByteCount: ExpressibleByArgument {
    let bytes: Int

    init?(argument: String) {
        let text = argument.lowercased().filter { $0 != " " }
        let units: [(String, Double)] = [("kb", 1e3), ("mb", 1e6), ("gb", 1e9), ("b", 1), ("", 1)]
        guard let (unit, scale) = units.first(where: { text.hasSuffix($0.0) }),
            let number = Double(text.dropLast(unit.count)), number >= 0, number * scale < 1e15,
            text.allSatisfy({ $0.isNumber || $0 == "." || unit.contains($0) })
        else { return nil }
        bytes = Int(number * scale)
    }
}
