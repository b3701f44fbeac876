import ImageCore
import Testing

@Suite struct CancellationTokens {
    @Test func aCancelledTokenRunsItsHandlerOnceEvenIfItIsSetLater() {
        let runs = Lock(0)
        let token = CancellationToken()
        token.onCancel { runs.withLock { $0 += 1 } }
        token.cancel()
        token.cancel()
        #expect(runs.withLock { $0 } == 1)
        let late = CancellationToken()
        late.cancel()
        late.onCancel { runs.withLock { $0 += 1 } }
        #expect(runs.withLock { $0 } == 2)
        #expect(throws: CancellationError.self) { try late.check() }
    }

    @Test func handlersRunInOrder() {
        let token = CancellationToken()
        let runs = Lock([String]())
        for name in ["a", "b", "c"] { token.onCancel { runs.withLock { $0.append(name) } } }
        token.cancel()
        token.onCancel { runs.withLock { $0.append("late") } }
        token.cancel()
        #expect(runs.withLock { $0 } == ["a", "b", "c", "late"])
    }

    @Test func aTokenReleasesHandlersThatHaveRun() {
        final class Witness: Sendable {}
        let token = CancellationToken()
        weak var witness: Witness?
        do {
            let held = Witness()
            witness = held
            token.onCancel { withExtendedLifetime(held) {} }
        }
        #expect(witness != nil)
        token.cancel()
        #expect(witness == nil)
    }
}
