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

    @Test func handlersRunInOrderUnlessTheyWereRemoved() {
        let token = CancellationToken()
        let runs = Lock([String]())
        func set(_ name: String) -> CancellationToken.Handler { token.onCancel { runs.withLock { $0.append(name) } } }
        set("removed").remove()
        let handlers = ["a", "b", "c", "d"].map(set)
        handlers[2].remove()
        handlers[2].remove()
        token.cancel()
        handlers[0].remove()
        _ = set("late")
        token.cancel()
        #expect(runs.withLock { $0 } == ["a", "b", "d", "late"])
    }

    @Test func aTokenReleasesHandlersThatWereRemovedOrHaveRun() {
        final class Witness: Sendable {}
        let (token, other) = (CancellationToken(), CancellationToken())
        weak var witness: Witness?
        do {
            let held = Witness()
            witness = held
            for _ in 0..<3 { token.onCancel { withExtendedLifetime(held) {} }.remove() }
            other.onCancel { withExtendedLifetime(held) {} }
        }
        #expect(witness != nil)
        other.cancel()
        #expect(witness == nil)
    }
}
