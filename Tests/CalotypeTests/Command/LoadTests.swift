import Foundation
import ImageCore
import ImageCodecs
import ImageDecoding
import LoopbackHTTP
import Testing

import CalotypeSystem

@Suite("calotype load", .timeLimit(.minutes(1)))
struct LoadTests {
    static func serve(_ name: String) throws -> LoopbackServer {
        let body = Array(try Project.bytes(of: name))
        return try LoopbackServer(serving: { request in
            request.path == "/gone"
                ? LoopbackServer.Response(404)
                : LoopbackServer.Response(200, headers: [("Cache-Control", "max-age=3600")], body: body)
        })
    }

    @Test func theTierIsNetworkThenMemoryThenDisk() async throws {
        let server = try Self.serve("dunes.jpg")
        defer { server.stop() }
        let folder = try ScratchFolder()
        let url = server.url("/dunes.jpg")
        let first = try await CommandProcess.run("load", url, url, "--concurrency", "1", "--cache", folder.path, "--json")
        #expect(first.ending == .status(0))
        #expect(first.outputLines.count == 2)
        #expect(first.outputLines[0].contains(#""tier": "network", "status": "ok", "bytes": 7727, "width": 480, "height": 320"#))
        #expect(first.outputLines[1].contains(#""tier": "memory", "status": "ok""#))
        let second = try await CommandProcess.run("load", url, "--cache", folder.path, "--json")
        #expect(second.output.contains(#""tier": "disk", "status": "ok", "bytes": 7727"#))
        #expect(server.requests.value == 1)
    }

    @Test func aTraceHasATrackWithItsStagesForEachLoad() async throws {
        let folder = try ScratchFolder()
        let run = try await CommandProcess.run(
            "load", Project.image("dunes.jpg"), Project.image("tiles.webp"), "--no-cache", "--trace",
            folder.file("loads.json"))
        #expect(run.ending == .status(0) && run.errors.isEmpty)
        let events = try #require(
            JSONSerialization.jsonObject(with: folder.data("loads.json")) as? [[String: Any]])
        func names(_ phase: String) -> [String] {
            events.filter { $0["ph"] as? String == phase }.compactMap { $0["name"] as? String }.sorted()
        }
        #expect(Set(events.compactMap { $0["id"] as? String }).count == 2)
        #expect(names("b") == names("e"))
        #expect(names("b").filter { $0.hasSuffix("dunes.jpg") || $0.hasSuffix("tiles.webp") }.count == 2)
        #expect(names("b").filter { $0 == "decode" }.count == 2)
    }

    @Test func anUnwritableTraceFailsBeforeAnyLoad() async throws {
        let folder = try ScratchFolder()
        for path in [folder.file("missing/loads.json"), folder.path, "/dev/full"] {
            let run = try await CommandProcess.run("load", Project.image("dunes.jpg"), "--no-cache", "--trace", path)
            #expect(run.ending == .status(1))
            #expect(run.output.isEmpty && run.errorLines.count == 1)
            #expect(run.errors.hasPrefix("calotype: \(path): "))
        }
    }

    @Test func aLoadFailsAtItsDeadline() async throws {
        let server = try LoopbackServer { request, connection in
            if request.path == "/silent" { return connection.waitForDisconnect() }
            try connection.respond(LoopbackServer.Response(200, body: Array(try Project.bytes(of: "tiles.webp"))))
        }
        defer { server.stop() }
        let run = try await CommandProcess.run(
            "load", server.url("/silent"), server.url("/image"), "--no-cache", "--json", "--retries", "3", "--deadline", "1.5")
        #expect(run.ending == .status(1))
        #expect(run.outputLines.count == 2)
        let failed = try #require(run.outputLines.first { $0.contains("/silent") })
        #expect(failed.contains(#""status": "failed""#) && failed.contains("within its deadline of 1.5 s"))
        #expect(run.outputLines.contains { $0.contains("/image") && $0.contains(#""status": "ok""#) })
        #expect(run.errorLines.count == 1)
        // The deadline covers all attempts, so there is no second one.
        #expect(server.requests.value == 2)
    }

    @Test func withoutCachesEveryRunFetches() async throws {
        let server = try Self.serve("tiles.webp")
        defer { server.stop() }
        for _ in 0..<2 {
            let run = try await CommandProcess.run("load", server.url("/a"), "--no-cache", "--json")
            #expect(run.output.contains(#""tier": "network""#))
        }
        #expect(server.requests.value == 2)
    }

    @Test func imagesAreWrittenUnderUniqueNames() async throws {
        let server = try Self.serve("voronoi.webp")
        defer { server.stop() }
        let folder = try ScratchFolder()
        let run = try await CommandProcess.run(
            "load", Project.image("arrow.jpg"), server.url("/x/arrow.webp"), server.url("/y/arrow.webp?v=2"), "-o",
            folder.file("out"), "--size", "64x64", "--no-cache", "--concurrency", "1")
        #expect(run.ending == .status(0))
        let out = try FileManager.default.contentsOfDirectory(atPath: folder.file("out")).sorted()
        #expect(out == ["arrow-2.png", "arrow.jpg", "arrow.png"])
        let info = try DecoderRegistry(.codecs).info(of: folder.data("out/arrow.jpg"), limits: DecodingLimits())
        #expect(info.size == PixelSize(width: 43, height: 64))
    }

    @Test func aLinkInTheOutputFolderIsReplacedAndItsTargetIsKept() async throws {
        let folder = try ScratchFolder()
        let victim = try folder.write([1], to: "victim")
        try FileManager.default.createDirectory(atPath: folder.file("out"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: folder.file("out/badge.png"), withDestinationPath: victim)
        let run = try await CommandProcess.run(
            "load", Project.image("badge.png"), "-o", folder.file("out"), "--no-cache")
        #expect(run.ending == .status(0))
        #expect(folder.data("victim") == Data([1]))
        #expect(try DecoderRegistry(.codecs).info(of: folder.data("out/badge.png"), limits: DecodingLimits()).format == .png)
    }

    @Test(arguments: [("jpg", ImageFormat.jpeg, "jpg"), ("JPEG", .jpeg, "jpg"), ("png", .png, "png"), ("webp", .webp, "webp")])
    func allImagesAreWrittenInTheChosenFormat(_ name: String, _ format: ImageFormat, _ fileExtension: String) async throws {
        let folder = try ScratchFolder()
        let run = try await CommandProcess.run(
            "load", Project.image("badge.png"), Project.image("dunes.jpg"), "-o", folder.path, "--format", name,
            "--no-cache")
        #expect(run.ending == .status(0))
        #expect(folder.names == ["badge.\(fileExtension)", "dunes.\(fileExtension)"])
        for name in folder.names {
            #expect(try DecoderRegistry(.codecs).info(of: folder.data(name), limits: DecodingLimits()).format == format)
        }
    }

    @Test(arguments: [[], ["--format", "webp"]]) func aLowerQualityMakesSmallerFiles(_ arguments: [String]) async throws {
        var sizes: [Int] = []
        for quality in ["20", "85", "95"] {
            let folder = try ScratchFolder()
            let run = try await CommandProcess(
                ["load", Project.image("dunes.jpg"), "-o", folder.path, "--no-cache", "--quality", quality] + arguments
            ).end()
            #expect(run.ending == .status(0))
            sizes.append(folder.data(try #require(folder.names.first)).count)
        }
        #expect(sizes[0] > 0 && sizes[0] < sizes[1] && sizes[1] < sizes[2])
    }

    @Test func aFailedSourceHasAnErrorLineAndARowAndTheOthersContinue() async throws {
        let server = try Self.serve("tiles.webp")
        defer { server.stop() }
        let run = try await CommandProcess.run("load", server.url("/gone"), server.url("/there"), "--no-cache")
        #expect(run.ending == .status(1))
        #expect(run.errorLines.count == 1)
        #expect(run.errors.hasPrefix("calotype: \(server.url("/gone")): The server answered 404"))
        #expect(run.outputLines.count == 3)
        #expect(run.outputLines.count { $0.contains("/gone ") && $0.contains(" failed ") } == 1)
        #expect(run.outputLines.count { $0.contains("/there ") && $0.contains(" 360x280 ") } == 1)
    }

    @Test func memoryDoesNotGrowWithTheNumberOfSources() async throws {
        // Given: images of 1.2 MB each once they are decoded.
        let folder = try ScratchFolder()
        let bitmap = try unsafe Bitmap(size: PixelSize(width: 640, height: 480), format: .rgba8, alpha: .opaque) { pixels, _ in
            for index in pixels.indices { unsafe pixels[index] = UInt8(truncatingIfNeeded: index / 640) | 3 }
        }
        let file = try JPEGEncoder().encode(DecodedImage(bitmap), as: .jpeg, options: EncodeOptions())
        let files = try (0..<300).map { try folder.write(file, to: "\($0).jpg") }
        func peakMemory(of count: Int) async throws -> Int {
            let arguments = ["load"] + files.prefix(count) + ["-o", folder.file("out-\(count)"), "--no-cache"]
            let run = try await CommandProcess(arguments, measuresMemory: true).end()
            #expect(run.ending == .status(0))
            #expect(run.outputLines.count == count + 1)
            return run.peakMemory
        }
        // When, then.
        let (few, many) = try await (peakMemory(of: 30), peakMemory(of: 300))
        #expect(few > 1_000_000 && many < few / 5 * 6, "\(few) bytes for 30 files, \(many) for 300")
    }

    @Test func noProgressIsDrawnWithoutATerminal() async throws {
        let run = try await CommandProcess.run("load", Project.image("tiles.webp"), Project.image("dunes.jpg"), "--no-cache")
        #expect(run.ending == .status(0))
        #expect(run.errors.isEmpty)
        #expect(!run.output.unicodeScalars.contains("\u{1B}"))
    }

    #if os(Linux)
        /// The shell's limit includes reserved address space; a process with several threads reserves some hundred
        /// megabytes. A load accepts a tenth of the limit.
        @Test(arguments: [
            (["info"], "There is not enough memory"), (["load", "--no-cache"], "The file "), (["show"], "The file "),
        ])
        func aFileLargerThanMemoryIsOneErrorLineAndTheOthersContinue(_ command: [String], error: String) async throws {
            let folder = try ScratchFolder()
            let large = try folder.write([0], to: "large.png")
            #expect(unsafe truncate(large, 190_000_000) == 0)
            let limit = command == ["info"] ? 200_000 : 400_000
            let run = try await CommandProcess(command + [large, Project.image("badge.png")], after: "ulimit -v \(limit)").end()
            #expect(run.ending == .status(1))
            #expect(run.errorLines.count == 1)
            #expect(run.errors.hasPrefix("calotype: \(large): \(error)"))
            #expect(run.output.contains("240"))
        }

        @Test(arguments: 4...40) func aShortageOfDescriptorsFailsSourcesAndDoesNotCrash(limit: Int) async throws {
            let server = try Self.serve("tiles.webp")
            defer { server.stop() }
            let folder = try ScratchFolder()
            let sources = [Project.image("badge.png"), server.url("/a"), Project.image("chart.png"), server.url("/b")]
            let run = try await CommandProcess(
                ["load", "--cache", folder.file("cache")] + sources, after: "ulimit -n \(limit)"
            ).end()
            #expect([.status(0), .status(1)].contains(run.ending))
            guard !run.output.isEmpty else {
                #expect(
                    run.errors
                        == "calotype: The process can open too few files. Raise the limit, for example with 'ulimit -n 64'.\n")
                return
            }
            #expect(run.outputLines.count == 1 + sources.count)
            for source in sources {
                let row = try #require(run.outputLines.first { $0.contains("\(source.suffix(41)) ") })
                let errors = run.errorLines.count { $0.hasPrefix("calotype: \(source): ") }
                #expect(errors == (row.contains("  failed") ? 1 : 0))
            }
        }

        @Test(.timeLimit(.minutes(1)), arguments: [["--json"], []])
        func eachReportIsPrintedWhenItsLoadEnds(_ arguments: [String]) async throws {
            // Given: a first source that the server holds back until the second one has been reported.
            let gate = try LoopbackServer.Gate()
            let body = Array(try Project.bytes(of: "tiles.webp"))
            let server = try LoopbackServer { request, connection in
                if request.path == "/slow" { try connection.wait(for: gate) }
                try connection.writeHeaders(200, headers: [("Content-Length", String(body.count))])
                try connection.write(body)
            }
            defer { server.stop() }
            let terminal = try PseudoTerminal()
            // When
            let command = try CommandProcess(
                ["load", server.url("/slow"), server.url("/fast"), "--no-cache"] + arguments, on: terminal)
            await terminal.wait { $0.contains(arguments.isEmpty ? " 360x280 " : #""width": 360"#) }
            #expect(!terminal.text.contains("2 of 2 done"))
            gate.open()
            // Then
            #expect(try await command.end().ending == .status(0))
            let lines = await terminal.all().split(separator: "\n").filter { $0.contains(" ok ") || $0.contains(#""ok""#) }
            #expect(lines.map { $0.contains("/fast") } == [true, false])
            if !arguments.isEmpty { #expect(zip(lines, [1, 0]).allSatisfy { $0.contains(#""index": \#($1)"#) }) }
        }

        @Test(.timeLimit(.minutes(1)), arguments: ["load", "convert", "info"])
        func aSingleFetchShowsAProgressBar(_ name: String) async throws {
            // Given: an image whose end the server holds back.
            let gate = try LoopbackServer.Gate()
            let body = Array(try Project.bytes(of: "tiles.webp"))
            let server = try LoopbackServer { _, connection in
                try connection.writeHeaders(200, headers: [("Content-Length", String(body.count))])
                try connection.write(Array(body[..<1000]))
                try connection.wait(for: gate)
                try connection.write(Array(body[1000...]))
            }
            defer { server.stop() }
            let folder = try ScratchFolder()
            let further = name == "load" ? ["--no-cache"] : name == "convert" ? [folder.file("out.png")] : []
            let terminal = try PseudoTerminal()
            // When
            let command = try CommandProcess([name, server.url("/tiles.webp")] + further, on: terminal)
            await terminal.wait { $0.contains("....] ") && $0.contains("/tiles.webp") }
            gate.open()
            // Then
            #expect(try await command.end().ending == .status(0))
            let text = await terminal.all()
            #expect(!text.contains("of 1 done"))
            let places = [text.firstRange(of: "....] "), text.firstRange(of: "\u{1B}[?25h")].map { $0?.lowerBound }
            #expect(try #require(places[0]) < #require(places[1]))
        }

        @Test(.timeLimit(.minutes(1)), arguments: [SIGINT, SIGTERM, SIGHUP])
        func aSignalShowsTheCursorAndEndsTheCommand(signal: Int32) async throws {
            // Given: progress bars on a terminal, and images that never arrive.
            let server = try LoopbackServer(handler: { _, connection in connection.waitForDisconnect() })
            defer { server.stop() }
            let terminal = try PseudoTerminal()
            let command = try CommandProcess(["load", server.url("/a.jpg"), server.url("/b.jpg"), "--no-cache"], on: terminal)
            await terminal.wait { $0.contains("\u{1B}[?25l") }
            // When, then.
            command.send(signal: signal)
            let run = try await command.end()
            #expect(run.ending == .signal(signal))
            #expect(await terminal.all().contains("\u{1B}[?25h"))
        }
    #endif

    @Test func anInterruptEndsTheCommandBySignalAndLeavesNoFiles() async throws {
        let started = try LoopbackServer.Gate()
        let command = Lock<CommandProcess?>(nil)
        // The server's thread sends the signal in the middle of the body, so that a busy machine cannot delay it.
        let server = try LoopbackServer(handler: { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Length", "1000000")])
            try connection.write([UInt8](repeating: 1, count: 1000))
            try connection.wait(for: started)
            command.withLock { $0 }?.send(signal: SIGINT)
            connection.waitForDisconnect()
        })
        defer { server.stop() }
        let folder = try ScratchFolder()
        let process = try CommandProcess(
            ["load", server.url("/slow.jpg"), "-o", folder.file("out"), "--cache", folder.file("cache")])
        command.withLock { $0 = process }
        started.open()
        let run = try await process.end()
        #expect(run.ending == .signal(SIGINT))
        #expect(run.errors.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("out")).isEmpty)
    }
}
