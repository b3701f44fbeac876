import Foundation
import Testing

@Suite("Output that cannot be written") struct UnwritableOutputTests {
    #if os(Linux)
        @Test(arguments: [("exec >/dev/full", "No space left on device"), ("exec >&-", "Bad file descriptor")])
        func standardOutputThatCannotBeWrittenIsOneLineAndAFailure(shell: String, reason: String) async throws {
            let run = try await CommandProcess(["info", Project.picture("chart.png")], after: shell).end()
            #expect(run.ending == .status(1))
            #expect(run.errors == "calotype: Standard output cannot be written: \(reason).\n")
        }
    #endif
}
