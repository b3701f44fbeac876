import Foundation
import Testing

/// The example of a custom network layer, which checks itself.
@Suite(.timeLimit(.minutes(3))) struct AsyncHTTPClientLayers {
    @Test func theProgramLoadsAnImageAndPassesTheConformanceChecks() throws {
        let folder = try #require(Bundle.main.executableURL).deletingLastPathComponent()
        let (process, output) = (Process(), Pipe())
        process.executableURL = folder.appending(path: "AsyncHTTPClientLayer")
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(text.hasPrefix("from the network: "), "\(text)")
        #expect(text.hasSuffix("All checks passed.\n"), "\(text)")
    }
}
