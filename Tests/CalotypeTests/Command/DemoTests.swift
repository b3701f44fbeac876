import Foundation
import ImageCore
import ImageCodecs
import ImageDecoding
import LoopbackHTTP
import ProjectFiles
import Testing

@testable import CalotypeCommand

@Suite("calotype demo, show and cache", .timeLimit(.minutes(1)))
struct DemoTests {
    @Test func theDemoLoadsFromEveryTierAndWritesItsContactSheet() async throws {
        let folder = try ScratchFolder()
        let run = try await CommandProcess.run("demo", "-o", folder.file("sheet.png"))
        #expect(run.ending == .status(0))
        #expect(run.errors.isEmpty)
        for tier in ["network", "memory", "disk"] {
            #expect(run.outputLines.count { $0.split(separator: " ").contains(Substring(tier)) } >= 12)
        }
        #expect(!run.output.unicodeScalars.contains("\u{1B}"))
        let info = try DecoderRegistry(.codecs).info(of: folder.data("sheet.png"), limits: DecodingLimits())
        #expect(info.size == PixelSize(width: 860, height: 498))
        #expect(info.format == .png)
    }

    @Test func theGalleryHasEachOfItsFilesUnderItsName() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: ProjectFiles.gallery.path).sorted()
        #expect(Gallery.files.map(\.name) == names)
        for (name, bytes) in Gallery.files { #expect(try Data(bytes) == Project.bytes(of: name), "\(name)") }
    }

    @Test func theDemoDrawsItsContactSheetWithAChosenMethodAndLeavesNoCache() async throws {
        let (folder, temporary) = (try ScratchFolder(), try ScratchFolder())
        let run = try await CommandProcess(
            ["demo", "-o", folder.file("sheet.png"), "--as", "blocks"], environment: ["TMPDIR": temporary.path]
        ).end()
        #expect(run.ending == .status(0))
        #expect(run.output.contains("▀"))
        #expect(folder.names == ["sheet.png"] && temporary.names.isEmpty)
    }

    #if os(Linux)
        @Test func theDemoDrawsItsContactSheetOnATerminal() async throws {
            let folder = try ScratchFolder()
            let terminal = try PseudoTerminal()
            let command = try CommandProcess(
                ["demo", "-o", folder.file("sheet.png")],
                environment: ["TERM": "xterm-256color", "CALOTYPE_TERMINAL_TIME": "0"], on: terminal)
            #expect(try await command.end().ending == .status(0))
            #expect(await terminal.all().contains("▀"))
        }

        @Test(arguments: ["demo", "show", "load"])
        func aDumbTerminalGetsNoEscapeSequences(_ name: String) async throws {
            let folder = try ScratchFolder()
            let arguments =
                switch name {
                case "demo": ["-o", folder.file("sheet.png")]
                case "load": [Project.image("tiles.webp"), Project.image("dunes.jpg"), "--no-cache"]
                default: [Project.image("tiles.webp")]
                }
            let terminal = try PseudoTerminal()
            let command = try CommandProcess([name] + arguments, environment: ["TERM": "dumb"], on: terminal)
            #expect(try await command.end().ending == .status(0))
            let text = await terminal.all()
            #expect(!text.isEmpty && !text.unicodeScalars.contains("\u{1B}"))
        }
    #endif

    @Test func withoutATerminalAnImageIsDrawnOnlyIfAMethodIsChosen() async throws {
        let text = try await CommandProcess.run("show", Project.image("dunes.jpg"))
        #expect(text.output == "\(Project.image("dunes.jpg")): 480x320 jpeg\n")
        let drawn = try await CommandProcess.run("show", Project.image("dunes.jpg"), "--as", "sixel")
        #expect(drawn.output.contains("\u{1B}P"))
    }

    @Test func anImageIsDrawnAsHalfBlocksInsideTheBox() async throws {
        let run = try await CommandProcess.run("show", Project.image("dunes.jpg"), "--size", "30x10")
        #expect(run.ending == .status(0))
        #expect(run.outputLines.count == 10)
        #expect(run.outputLines.allSatisfy { line in line.count { $0 == "▀" } == 30 })
    }

    @Test func cacheStatisticsCountStoredEntriesAndClearRemovesThem() async throws {
        let gallery = try ScratchFolder()
        let data = "data:image/jpeg;base64," + (try Project.bytes(of: "dunes.jpg").base64EncodedString())
        // Local sources are not cached.
        _ = try await CommandProcess.run("load", data, "--cache", gallery.path)
        let empty = try await CommandProcess.run("cache", "stats", "--cache", gallery.path, "--json")
        #expect(empty.output.contains(#""entries": 0"#))
        let server = try LoadTests.serve("dunes.jpg")
        defer { server.stop() }
        _ = try await CommandProcess.run("load", server.url("/a"), server.url("/b"), "--cache", gallery.path)
        let stats = try await CommandProcess.run("cache", "stats", "--cache", gallery.path, "--json")
        #expect(stats.ending == .status(0))
        #expect(stats.output.contains(#""entries": 2"#))
        let clear = try await CommandProcess.run("cache", "clear", "--cache", gallery.path, "--json")
        #expect(clear.ending == .status(0))
        #expect(clear.output.contains(#""removedEntries": 2"#))
        let after = try await CommandProcess.run("cache", "stats", "--cache", gallery.path, "--json")
        #expect(after.output.contains(#""entries": 0"#))
    }

    @Test func withoutJSONEachCacheCommandPrintsALineWithItsNumbers() async throws {
        let gallery = try ScratchFolder()
        let files = ["iris16.png", "chart.png"]
        let bodies = try files.map { Array(try Project.bytes(of: $0)) }
        let server = try LoopbackServer(serving: { request in
            LoopbackServer.Response(200, headers: [("Cache-Control", "max-age=3600")], body: bodies[request.path == "/a" ? 0 : 1])
        })
        defer { server.stop() }
        for path in ["/a", "/b"] { _ = try await CommandProcess.run("load", server.url(path), "--cache", gallery.path) }
        func line(_ arguments: String...) async throws -> String {
            let run = try await CommandProcess(["cache"] + arguments + ["--cache", gallery.path]).end()
            #expect(run.ending == .status(0))
            return run.output
        }
        func sizes() async throws -> (entries: String, files: Int) {
            let object = try JSONSerialization.jsonObject(with: Data(try await line("stats", "--json").utf8))
            let members = try #require(object as? [String: Any])
            return (Units.bytes(try #require(members["bytes"] as? Int)), try #require(members["fileBytes"] as? Int))
        }
        let (bytes, before) = try await sizes()
        #expect(try await line("stats") == "\(gallery.path): 2 entries, \(bytes) in \(Units.bytes(before)) of files\n")
        let total = Units.bytes(bodies[0].count + bodies[1].count)
        #expect(try await line("verify") == "\(gallery.path): 2 entries, \(total), 0 damaged and removed\n")
        let trimmed = try await line("trim", "\(before - 1)")
        let (rest, after) = try await sizes()
        let removed = "\(Units.bytes(before - after)) of files; \(Units.bytes(after)) remain"
        #expect(trimmed == "\(gallery.path): removed 1 entry, \(removed)\n")
        #expect(after > 0 && before - after != after)
        #expect(try await line("clear") == "\(gallery.path): removed 1 entry, \(rest)\n")
    }

    @Test(arguments: [["clear"], ["verify"], ["trim", "1MB"], ["list"], ["stats"]])
    func aCacheThatCannotBeOpenedIsAFailureWithOneErrorLine(arguments: [String]) async throws {
        let gallery = try ScratchFolder()
        try Data().write(to: URL(filePath: gallery.file("taken")))
        let run = try await CommandProcess(["cache"] + arguments + ["--cache", gallery.file("taken/below")]).end()
        #expect(run.ending == .status(1))
        #expect(run.errorLines.count == 1)
        #expect(run.output.isEmpty)
    }

    @Test func theCacheCanBeListedVerifiedAndTrimmed() async throws {
        let gallery = try ScratchFolder()
        let server = try LoadTests.serve("dunes.jpg")
        defer { server.stop() }
        _ = try await CommandProcess.run("load", server.url("/a"), server.url("/b"), "--cache", gallery.path)
        func run(_ arguments: String...) async throws -> CommandRun {
            try await CommandProcess(["cache"] + arguments + ["--cache", gallery.path]).end()
        }
        let size = try Project.bytes(of: "dunes.jpg").count
        let list = try await run("list", "--json")
        #expect(list.output.hasPrefix("{\"directory\": \"\(gallery.path)\", \"entries\": [{\"name\": \""))
        #expect(list.output.split(separator: "\"bytes\": \(size), \"storedAt\": ").count == 3)
        #expect(try await run("list").outputLines.count == 3)
        let verified = try await run("verify", "--json")
        #expect(verified.ending == .status(0))
        #expect(verified.output.contains("\"entries\": 2, \"bytes\": \(2 * size), \"damaged\": 0"))
        let trimmed = try await run("trim", "12 kB", "--json")
        #expect(trimmed.ending == .status(0))
        #expect(trimmed.output.contains("\"removedEntries\": 1"))
        let home = URL(filePath: gallery.file("images-v2"))
        let entry = try #require(try FileManager.default.subpathsOfDirectory(atPath: home.path).first { $0.count == 65 })
        let file = home.appending(path: entry)
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count - 9] ^= 1
        try bytes.write(to: file)
        let damaged = try await run("verify")
        #expect(damaged.ending == .status(1))
        #expect(damaged.output.contains("1 damaged"))
        #expect(try await run("list").output.hasSuffix("no entries\n"))
        #expect(try await run("trim", "many").ending == .status(2))
    }
}
