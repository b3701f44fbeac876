import Foundation
import Testing

@testable import Benchmarks

/// The programs that a benchmark runs, and their costs.
@Suite struct ChildProcessTests {
    @Test func aChildOfAThreadThatBlocksSignalsCanBeTerminated() throws {
        var (blocked, before) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&blocked)
        unsafe sigaddset(&blocked, SIGTERM)
        unsafe pthread_sigmask(SIG_BLOCK, &blocked, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        // It ends by itself, with the status 0, if the signal does not reach it.
        let child = try ChildProcess(["sleep", "5"])
        kill(child.identifier, SIGTERM)
        #expect(child.wait().status & 0x7F == SIGTERM)
    }

    @Test func theCostOfAProcessIsTheMedianOfProcessorTimeAndTheMeanOfUserTime() {
        let cost = ProcessCost([(9, 2), (3, 4), (5, 6)], megabytes: nil)
        #expect(cost.processor == 5)
        #expect(cost.user == 4)
        // The standard deviation is 2: divided by the square root of three runs, and by the mean.
        #expect(abs(cost.userError - 2 / 3.0.squareRoot() / 4) < 1e-12)
        let other = ProcessCost([(1, 1), (1, 1)], megabytes: nil)
        #expect(other.userError == 0)
        #expect(other.errorOfUserRatio(to: cost) == cost.userError)
    }

    @Test func aMissingOrFailingProgramHasNoCost() throws {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let costs = ProcessCost.measure(
            [["true"], ["calotype-has-no-such-program"], ["false"]], effort: .smoke, report: folder.file("report"),
            errorOfUserRatio: 0.01)
        #expect(costs.map { $0 == nil } == [false, true, true])
    }
}
