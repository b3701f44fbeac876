internal import ArgumentParser
internal import ImageCaching
internal import ImageCore

struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Looks at the disk cache, checks it, or makes it smaller.",
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
        @Option(help: ArgumentHelp("The directory of the disk cache.", valueName: "DIR"))
        var cache: String?

        @Flag(help: "Print a JSON object.")
        var json = false

        func validate() throws {
            if cache == "" { throw ValidationError("--cache needs the name of a directory.") }
        }

        var directory: String { cache ?? DiskCache.Configuration.defaultDirectory.path }

        /// The disk cache, open; ends the command where it is not.
        func openedCache() async throws -> DiskCache {
            let cache = CacheOptions.diskCache(in: cache)
            // The cache has said why on standard error.
            guard (try? await cache.requireOpen()) != nil else { throw ExitStatus.failed }
            return cache
        }

        /// Prints an object that begins with the directory, or the line of text.
        func print(_ members: [(String, JSONObject.Value)], _ line: String) {
            var object = JSONObject()
            object["directory"] = .string(directory)
            for (name, value) in members { object[name] = value }
            Console.print(json ? object.text : "\(directory): \(line)")
        }

        /// Runs what may fail, and ends the command with a sentence where it does.
        func carryOut(_ body: () async throws -> Void) async throws {
            do { try await body() } catch {
                Console.complain(about: directory, Failures.sentence(error))
                throw ExitStatus.failed
            }
        }
    }

    struct Stats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stats",
            abstract: "Prints how much is cached.",
            discussion: "With --json: directory, entries, bytes (of the entries), fileBytes (of the files that hold them).")

        @OptionGroup var options: Options

        func run() async throws {
            let statistics = try await options.openedCache().statistics
            let (count, bytes, fileBytes) = (statistics.count, statistics.byteCount, statistics.fileByteCount)
            options.print(
                [("entries", .integer(count)), ("bytes", .integer(bytes)), ("fileBytes", .integer(fileBytes))],
                "\(count) entries, \(Units.bytes(bytes)) in \(Units.bytes(fileBytes)) of files")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the entries, the most recently used first.",
            discussion: """
                Entries have names that tell nothing of their URLs. With --json: directory, entries (an array of objects with \
                name, bytes, storedAt in seconds since 1970).
                """)

        @OptionGroup var options: Options

        func run() async throws {
            let items = try await options.openedCache().items
            guard !options.json else {
                let list = items.map { item in
                    var object = JSONObject()
                    object["name"] = .string(item.name)
                    object["bytes"] = .integer(item.byteCount)
                    object["storedAt"] = .number(item.writtenAt)
                    return JSONObject.Value.object(object)
                }
                return options.print([("entries", .array(list))], "")
            }
            guard !items.isEmpty else { return options.print([], "no entries") }
            let now = SystemClock.secondsSince1970()
            var table = Table([("name", .left), ("size", .right), ("age", .right)])
            for item in items { table.add([item.name, Units.bytes(item.byteCount), age(now - item.writtenAt)]) }
            Console.print(table.text)
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
            discussion: """
                Ends with status 1 where there were some. With --json: directory, entries, bytes, damaged.
                """)

        @OptionGroup var options: Options

        func run() async throws {
            let found = try await options.openedCache().verify()
            options.print(
                [
                    ("entries", .integer(found.count)), ("bytes", .integer(found.byteCount)),
                    ("damaged", .integer(found.damagedCount)),
                ],
                "\(found.count) entries, \(Units.bytes(found.byteCount)), \(found.damagedCount) damaged and removed")
            if found.damagedCount > 0 { throw ExitStatus.failed }
        }
    }

    struct Trim: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "trim",
            abstract: "Removes the least recently used entries until the files are small enough.",
            discussion: "With --json: directory, removedEntries, removedBytes (of the files), fileBytes (that are left).")

        @Argument(help: ArgumentHelp("What the files may take: bytes, or a number with kB, MB or GB.", valueName: "SIZE"))
        var size: ByteCount

        @OptionGroup var options: Options

        func run() async throws {
            let cache = try await options.openedCache()
            let before = await cache.statistics
            try await options.carryOut {
                try await cache.trim(toBytes: size.bytes)
                try await cache.flush()
            }
            let after = await cache.statistics
            let (entries, bytes) = (before.count - after.count, before.fileByteCount - after.fileByteCount)
            options.print(
                [
                    ("removedEntries", .integer(entries)), ("removedBytes", .integer(bytes)),
                    ("fileBytes", .integer(after.fileByteCount)),
                ],
                "removed \(entries) entries, \(Units.bytes(bytes)) of files; \(Units.bytes(after.fileByteCount)) are left")
        }
    }

    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear",
            abstract: "Empties the disk cache.",
            discussion: "With --json: directory, removedEntries, removedBytes.")

        @OptionGroup var options: Options

        func run() async throws {
            let cache = try await options.openedCache()
            let before = await cache.statistics
            try await options.carryOut {
                try await cache.removeAll()
                try await cache.flush()
            }
            options.print(
                [("removedEntries", .integer(before.count)), ("removedBytes", .integer(before.byteCount))],
                "removed \(before.count) entries, \(Units.bytes(before.byteCount))")
        }
    }
}

/// A number of bytes as people write it: `1500`, `64kB`, `1.5 GB`. Units count by thousands.
struct ByteCount: ExpressibleByArgument, Equatable {
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
