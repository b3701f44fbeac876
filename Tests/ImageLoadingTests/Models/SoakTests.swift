import Foundation
import Testing

/// Memory over many loads is looked at in a process of its own: what the test library keeps of every error that is
/// thrown would count here. `make soak` runs it with a million.
@Suite struct Soak {
    @Test func memoryStaysFlatOverManyLoads() async throws {
        let soak = Process()
        soak.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "EngineSoak")
        soak.arguments = ["30000"]
        // See `EngineSoak`.
        soak.environment = ProcessInfo.processInfo.environment
            .merging(["GLIBC_TUNABLES": "glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1"]) { $1 }
        let output = Pipe()
        soak.standardOutput = output
        try soak.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        soak.waitUntilExit()
        #expect(soak.terminationStatus == 0, "\(text)")
    }
}
