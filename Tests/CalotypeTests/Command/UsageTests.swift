import Foundation
import ImageCore
import Testing

/// Scripts rely on the exit statuses and on one error line for each failure.
@Suite("The command's contract with scripts", .timeLimit(.minutes(1)))
struct UsageTests {
    @Test(arguments: [
        ["info"], ["bogus"], ["info", "--bogus", "x"], ["convert", "only-one"], ["convert", "a.png", "b.png", "--size", "12"],
        ["convert", "a.png", "b.png", "--size", "0x5"], ["convert", "a.png", "b.png", "--mode", "wild"],
        ["convert", "a.png", "b.png", "--quality", "0"], ["convert", "a.png", "b.png", "--filter", "wild"],
        ["convert", "a.png", "b.png", "--crop", "1,2,3"], ["convert", "a.png", "b.xyz"], ["convert", "a.png", "b"],
        ["load", "a.png", "--cache", "x", "--no-cache"], ["load", "a.png", "--concurrency", "0"],
        ["info", "a.png", "--max-pixels", "0"],
        ["load", "a.png", "-o", "x", "--format", "xyz"], ["load", "a.png", "-o", "x", "--quality", "101"],
        ["load", "a.png", "--deadline", "0"], ["load", "a.png", "--deadline", "-1"], ["load", "a.png", "--deadline", "nan"],
        ["load", "a.png", "--deadline", "soon"],
        ["load", "a.png", "--trace", ""], ["load", "a.png", "--format", "png"], ["load", "a.png", "--quality", "50"],
        ["demo", "--as", "wild"],
        ["show", "a.png", "--size", "x"], ["cache", "bogus"],
    ])
    func wrongUsageEndsWithStatusTwoAndOneLine(_ arguments: [String]) async throws {
        let run = try await CommandProcess(arguments).end()
        #expect(run.ending == .status(2))
        #expect(run.output.isEmpty)
        #expect(run.errorLines.count == 1)
        #expect(run.errors.hasPrefix("calotype: "))
    }

    @Test(arguments: [
        ["-dash.png"], ["info", "-dash.png"], ["load", "-dash.png"], ["load", "a.png", "-o", "-dash"], ["show", "-dash.png"],
        ["convert", "-dash.png", "a.png"], ["convert", "a.png", "-dash.png"], ["demo", "-dash.png"],
        ["cache", "-dash"], ["cache", "list", "-dash"], ["cache", "trim", "-dash"],
    ])
    func anArgumentThatLooksLikeFlagsIsWrongUsage(_ arguments: [String]) async throws {
        let run = try await CommandProcess(arguments).end()
        #expect(run.ending == .status(2))
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("calotype: There is no option '-dash"))
        #expect(run.errorLines.count == 1)
    }

    @Test(arguments: [
        ["info", "--", "-dash.png"], ["info", "./-dash.png"], ["load", "--no-cache", "--", "-dash.png"],
        ["load", "--no-cache", "-o=out", "./-dash.png"], ["show", "--", "-dash.png"], ["convert", "--", "-dash.png", "-out.png"],
    ])
    func aFileNameWithADashFollowsTwoDashesOrAFolder(_ arguments: [String]) async throws {
        let folder = try ScratchFolder()
        _ = try folder.write(Project.bytes(of: "badge.png"), to: "-dash.png")
        let run = try await CommandProcess(arguments, after: "cd \(folder.path)").end()
        #expect(run.ending == .status(0), "\(run.errors)")
        #expect(run.errors.isEmpty)
    }

    @Test(arguments: ["info caf\\351.png", "load caf\\351.png", "convert a.png caf\\351.png", "show a.png caf\\351.png"])
    func anArgumentThatIsNotUTF8IsWrongUsageWithAdvice(words: String) async throws {
        let run = try await CommandProcess([], after: "set -- $(printf '\(words)')").end()
        #expect(run.ending == .status(2))
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("calotype: 'caf\u{FFFD}.png' is not valid UTF-8."))
        #expect(run.errors.contains("percent-encoded"))
        #expect(run.errorLines.count == 1)
    }

    @Test(arguments: [["info"], ["load", "--no-cache"], ["show"]])
    func aFileURLNamesAFileWhoseNameIsNotUTF8(_ command: [String]) async throws {
        let folder = try ScratchFolder()
        let copy = "cp \(Project.image("badge.png")) \"$(printf '\(folder.path)/caf\\351.png')\""
        let run = try await CommandProcess(command + ["file://\(folder.path)/caf%E9.png"], after: copy).end()
        #expect(run.ending == .status(0), "\(run.errors)")
        #expect(run.output.contains("240"))
    }

    @Test(arguments: [
        [], ["--help"], ["info", "--help"], ["convert", "--help"], ["load", "--help"], ["show", "--help"], ["cache", "--help"],
        ["cache", "stats", "--help"], ["cache", "clear", "--help"], ["demo", "--help"],
    ])
    func helpGoesToStandardOutputWithStatusZero(_ arguments: [String]) async throws {
        let run = try await CommandProcess(arguments).end()
        #expect(run.ending == .status(0))
        #expect(run.output.contains("USAGE: calotype"))
        #expect(run.errors.isEmpty)
    }

    @Test func eachFailedSourceIsOneErrorLineAndTheOthersContinue() async throws {
        let run = try await CommandProcess.run(
            "info", "/nowhere/a.png", Project.image("badge.png"), "ftp://127.0.0.1/b.png", "http://[", "--json")
        #expect(run.ending == .status(1))
        #expect(run.outputLines.count == 1)
        #expect(run.errorLines.count == 3)
        #expect(run.errorLines[0].hasPrefix("calotype: /nowhere/a.png: "))
        #expect(run.errorLines[1].hasPrefix("calotype: ftp://127.0.0.1/b.png: "))
        #expect(run.errorLines[2].hasPrefix("calotype: http://[: "))
    }

    #if os(Linux)
        /// The AV1 decoder dav1d would print lines about such a file.
        @Test func damagedAV1DataIsOneErrorLine() async throws {
            let folder = try ScratchFolder()
            var file = try Data(contentsOf: URL(filePath: Project.root + "/Fuzz/Seeds/avif/444.avif"))
            let data = try #require(file.range(of: Data("mdat".utf8))).upperBound
            file[data + 4] ^= 0x80
            let path = folder.file("damaged.avif")
            try file.write(to: URL(filePath: path))
            let run = try await CommandProcess.run("convert", path, folder.file("a.png"))
            #expect(run.ending == .status(1))
            #expect(run.errorLines.count == 1)
            #expect(run.errors.hasPrefix("calotype: \(path): The AVIF file is damaged"))
        }
    #endif

    @Test func theHelpOfEachCommandThatDecodesHasThePixelLimit() async throws {
        for command in ["info", "convert", "load", "show"] {
            let run = try await CommandProcess.run(command, "--help")
            #expect(run.output.contains("--max-pixels"), "\(command)")
        }
    }

    @Test func thePixelLimitCanBeLowered() async throws {
        // 480 × 320 pixels.
        let (path, folder) = (Project.image("dunes.jpg"), try ScratchFolder())
        let commands = [
            ["info", path], ["convert", path, folder.file("a.png")], ["load", path, "--no-cache"],
            ["show", path, "--as", "blocks"],
        ]
        for words in commands {
            let enough = try await CommandProcess(words + ["--max-pixels", "153600"]).end()
            #expect(enough.ending == .status(0), "\(words)")
            let small = try await CommandProcess(words + ["--max-pixels", "1000"]).end()
            #expect(small.ending == .status(1), "\(words)")
            #expect(small.errors.contains("limit"), "\(words)")
        }
    }

    @Test func thePixelLimitBoundsTheImagesThatStepsMake() async throws {
        // A padding of 480 × 320 to 500 × 400 pixels.
        let (path, folder) = (Project.image("dunes.jpg"), try ScratchFolder())
        let words = ["convert", path, folder.file("a.png"), "--pad", "500x400", "--max-pixels"]
        #expect(try await CommandProcess(words + ["200000"]).end().ending == .status(0))
        let small = try await CommandProcess(words + ["199999"]).end()
        #expect(small.ending == .status(1))
        #expect(small.errors.contains("more than the limit of 199999"))
    }

    @Test func thePixelLimitCanBeRaised() async throws {
        // A GIF whose screen has 20,000 × 14,000 pixels.
        let screen: [UInt8] = [0x20, 0x4E, 0xB0, 0x36, 0, 0, 0]
        let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B]
        let folder = try ScratchFolder()
        let file = try folder.write(Data(Array("GIF89a".utf8) + screen + frame), to: "huge.gif")
        #expect(try await CommandProcess.run("info", file).ending == .status(1))
        let raised = try await CommandProcess.run("info", file, "--max-pixels", "280000000")
        #expect(raised.ending == .status(0))
        #expect(raised.output.contains("20000"))
    }

    @Test func controlCharactersOfASourceAreRemovedFromTheErrorLine() async throws {
        let run = try await CommandProcess.run("info", "/nowhere/\u{1B}[31m\nfake.png")
        #expect(run.ending == .status(1))
        #expect(run.errorLines.count == 1)
        #expect(!run.errors.unicodeScalars.contains("\u{1B}"))
    }
}
