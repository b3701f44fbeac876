import CalotypeTesting
import Foundation
import ImageCore
import Testing

@testable import ImageLoading

/// The events of a load on their way to several listeners.
@Suite struct EventQueues {
    private func progress(_ received: Int) -> LoadEvent { .progress(LoadProgress(received: received, expected: nil)) }

    /// A listener that comes while another one is busy has received the current progress, and gets later events only.
    @Test func aLateListenerGetsNoEventThatWasQueuedBeforeItCame() {
        var queue = EventQueue { _ in }
        _ = queue.startDelivering()
        #expect(queue.append { progress(1) })
        #expect(queue.next()?.listeners.count == 1)
        // Given that the first listener handles the first event.
        #expect(!queue.append { progress(2) })
        queue.add { _ in }
        #expect(!queue.append { progress(3) })
        let second = queue.next(), third = queue.next()
        #expect(second?.event.description == "progress: 2 bytes" && second?.listeners.count == 1)
        #expect(third?.event.description == "progress: 3 bytes" && third?.listeners.count == 2)
        #expect(queue.next() == nil)
    }
}

@Suite(.timeLimit(.minutes(1))) struct LoadNumbers {
    /// An observer of two loaders can tell their loads apart (FEATURES 13.2).
    @Test func loadsOfTwoLoadersHaveDifferentIDs() async throws {
        let benches = [Bench(), Bench()]
        let tasks = benches.flatMap { bench in (0..<3).map { bench.loader.task(for: ImageRequest(url: url("\($0)"))) } }
        #expect(Set(tasks.map(\.id)).count == 6)
        #expect(tasks.map(\.id) == tasks.map(\.id).sorted())
        for task in tasks { _ = try await task.response }
    }
}
