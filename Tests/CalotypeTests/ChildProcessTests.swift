import Foundation
import Testing

@testable import CalotypeCommand

/// Programs that a benchmark runs beside itself.
@Suite struct ChildProcesses {
    @Test func oneThatIsStartedWhereSignalsAreBlockedCanStillBeEnded() throws {
        var (blocked, before) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&blocked)
        unsafe sigaddset(&blocked, SIGTERM)
        unsafe pthread_sigmask(SIG_BLOCK, &blocked, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        // Ends by itself, with status 0, where the signal does not reach it.
        let child = try ChildProcess("sleep", ["5"])
        kill(child.identifier, SIGTERM)
        #expect(child.wait().status & 0x7F == SIGTERM)
    }
}
