import CalotypeLogging
import CalotypeMetrics
import CalotypeTesting
import Foundation
import ImageCore
import ImageLoading
import Testing

/// Counts failures, with changes.
private final class Altered: LoadObserving {
    let failures = Lock(0)
    let work: @Sendable (LoadObservation, ImageRequest, Altered) -> Void
    init(_ work: @escaping @Sendable (LoadObservation, ImageRequest, Altered) -> Void) { self.work = work }
    func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) { work(observation, request, self) }
}

private func proof(
    _ rule: String, _ what: String, _ work: @escaping @Sendable (LoadObservation, ImageRequest, Altered) -> Void
) -> Proof {
    Proof("LoadObserving.\(rule)", what) {
        try await checkObserverConformance(failures: { $0.failures.withLock { $0 } }) { Altered(work) }
    }
}

let observerProofs = [
    proof("returnsAtOnce", "it sleeps") { observation, _, _ in
        if case .progress = observation { Thread.sleep(forTimeInterval: 0.006) }
    },
    proof("writesNoCredentials", "it prints the URL") { observation, request, _ in
        if case .started = observation, let url = request.source.url { print(url.absoluteString) }
    },
    proof("writesNoCredentials", "it prints header fields to the standard error") { observation, request, _ in
        guard case .started = observation else { return }
        for field in request.options.headers ?? [:] { FileHandle.standardError.write(Data("\(field.value)\n".utf8)) }
    },
    proof("countsFailures", "a cancelled load is a failure") { observation, _, observer in
        if case .finished(.failure) = observation { observer.failures.withLock { $0 += 1 } }
    },
    proof("worksOnSeveralThreads", "counts are lost") { observation, _, observer in
        guard case .finished(.failure(.failed)) = observation else { return }
        let count = observer.failures.withLock { $0 }
        Thread.sleep(forTimeInterval: 0.0002)
        observer.failures.withLock { $0 = count + 1 }
    },
]

/// The built-in observers pass.
@Suite(.timeLimit(.minutes(1))) struct BuiltInObservers {
    @Test func theyPass() async throws {
        try await checkObserverConformance { LoadLogger() }
        try await checkObserverConformance { LoadMeter() }
        try await checkObserverConformance {
            try TraceObserver(path: FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID()).json").path)
        }
        try await checkObserverConformance(failures: { $0.failures.withLock { $0 } }) {
            Altered { observation, _, observer in
                if case .finished(.failure(.failed)) = observation { observer.failures.withLock { $0 += 1 } }
            }
        }
    }
}
