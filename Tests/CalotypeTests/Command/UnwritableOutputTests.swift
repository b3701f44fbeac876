import Foundation
import Testing

@Suite("Output that cannot be written", .timeLimit(.minutes(1))) struct UnwritableOutputTests {
    #if os(Linux)
        @Test(arguments: [("exec >/dev/full", "No space left on device"), ("exec >&-", "Bad file descriptor")])
        func standardOutputThatCannotBeWrittenIsAFailureWithOneErrorLine(shell: String, reason: String) async throws {
            let run = try await CommandProcess(["info", Project.image("chart.png")], after: shell).end()
            #expect(run.ending == .status(1))
            #expect(run.errors == "calotype: Standard output cannot be written: \(reason).\n")
        }

        @Test func theCursorIsShownAgainIfStandardOutputFailsWhileBarsAreDrawn() async throws {
            let terminal = try PseudoTerminal()
            let command = try CommandProcess(
                ["load", Project.image("chart.png"), "--no-cache", "--json"], environment: ["TERM": "xterm"], on: terminal,
                after: "exec >/dev/full")
            #expect(try await command.end().ending == .status(1))
            let text = await terminal.all()
            #expect(text.contains("\u{1B}[?25l") && text.hasSuffix("\r\u{1B}[J\u{1B}[?25h"))
        }

        @Test func aFileThatReachesTheSizeLimitIsRemovedAndReportedInOneLine() async throws {
            let folder = try ScratchFolder()
            let output = folder.file("out.png")
            let run = try await CommandProcess(["convert", Project.image("chart.png"), output], after: "ulimit -f 1").end()
            #expect(run.ending == .status(1))
            #expect(run.errors == "calotype: \(output): The file cannot be written: File too large.\n")
            #expect(folder.names.isEmpty)
        }

        /// Otherwise the first file that the command opens would become standard output.
        @Test func outputForAClosedStandardOutputReachesNoOtherFile() async throws {
            let folder = try ScratchFolder()
            let run = try await CommandProcess(
                ["load", Project.image("chart.png"), "--cache", folder.file("cache")], after: "exec >&-"
            ).end()
            #expect(run.ending == .status(1))
            #expect(run.errors == "calotype: Standard output cannot be written: Bad file descriptor.\n")
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            for name in names { #expect(folder.data(name).range(of: Data("chart.png".utf8)) == nil, "\(name)") }
        }
    #endif
}
