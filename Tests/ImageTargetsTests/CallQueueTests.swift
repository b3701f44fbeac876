import CalotypeTesting
import ImageCore
import Testing

@testable import ImageTargets

/// The queue of a binding.
@Suite struct CallQueues {
    // The macros of Testing do not accept mutating calls.
    private func start(_ queue: inout CallQueue) -> Bool { queue.start() }
    private func dropResults(_ queue: inout CallQueue) -> Bool { queue.dropResults() }

    private func next(_ queue: inout CallQueue) -> String {
        switch queue.next() {
        case .call(.setAccessibilityLabel(let label)): label ?? "no label"
        case .updateMotion: "motion"
        case .call(.setLoading(let isLoading)): isLoading ? "loading" : "not loading"
        case .call(.setProgress(let progress)): "progress \(progress.received)"
        case .call(.clear): "clear"
        case .call(.prefersReducedMotion): "motion?"
        case .call(.setTierBadge(let tier)): "badge \(tier?.rawValue ?? "none")?"
        case .call(.setImage(_, let transition, let badge)):
            "image \(transition == .none ? "at once" : "fading"), badge \(badge?.rawValue ?? "none")"
        case .call: "another call"
        case .animate: "animate"
        case .updateSize: "size"
        case .complete: "complete"
        case nil: "end"
        }
    }

    private func steps(of queue: inout CallQueue) -> [String] {
        var labels: [String] = []
        repeat { labels.append(next(&queue)) } while labels.last != "end" && labels.last != "complete"
        return labels
    }

    private var end: Result<ImageResponse, LoadFailure> { .failure(.cancelled) }

    @Test func thereIsOneRunnerAtATime() {
        var queue = CallQueue()
        #expect(!start(&queue) && queue.isIdle)
        queue.append(.clear)
        #expect(start(&queue) && !start(&queue))
        #expect(next(&queue) == "clear")
        // While the call is made, a newer one waits.
        queue.append(.clear)
        #expect(!start(&queue) && !queue.isIdle)
        #expect(steps(of: &queue) == ["clear", "end"])
        #expect(queue.isIdle)
    }

    @Test func aCompletionEndsTheRun() {
        var queue = CallQueue()
        queue.appendCompletion(end)
        #expect(start(&queue))
        #expect(steps(of: &queue) == ["complete"])
        // The completion may begin the next request.
        queue.append(.clear)
        #expect(start(&queue))
    }

    @Test func aNewRequestReplacesAllPendingCalls() {
        var queue = CallQueue()
        queue.append(.setAccessibilityLabel("old"))
        queue.appendResult(.setProgress(LoadProgress(received: 1, expected: nil)))
        queue.appendCompletion(end)
        queue.replaceAll(by: [.setAccessibilityLabel("new")])
        #expect(steps(of: &queue) == ["new", "end"])
    }

    @Test func cancellingDropsTheResultsOfTheLoadAndKeepsOtherCalls() {
        var queue = CallQueue()
        queue.append(.clear)
        queue.appendResult(.setProgress(LoadProgress(received: 1, expected: nil)))
        #expect(!dropResults(&queue))
        queue.appendCompletion(end)
        #expect(dropResults(&queue))
        #expect(steps(of: &queue) == ["clear", "end"])
    }

    @Test func newerProgressReplacesPendingProgress() {
        var queue = CallQueue()
        for received in 1...3 { queue.appendResult(.setProgress(LoadProgress(received: received, expected: nil))) }
        #expect(steps(of: &queue) == ["progress 3", "end"])
    }

    @Test(arguments: [
        (false, false, "image fading, badge disk"), (true, false, "image at once, badge disk"),
        (false, true, "image fading, badge none"), (true, true, "image at once, badge none"),
    ]) func anImageIsShownAsTheViewAnswered(_ isReduced: Bool, _ showsBadges: Bool, _ shown: String) throws {
        var queue = CallQueue()
        queue.appendResult(.setImage(try TestImages.solid(), .fade(.seconds(1)), badge: .disk))
        #expect(next(&queue) == "motion?")
        queue.receive(.isMotionReduced(isReduced))
        #expect(next(&queue) == "badge disk?")
        queue.receive(.showsBadges(showsBadges))
        #expect(steps(of: &queue) == [shown, "end"])
    }

    @Test func anImageIsDroppedWhileTheViewAnswers() throws {
        for cancels in [false, true] {
            var queue = CallQueue()
            queue.append(.setImage(try TestImages.solid(), .fade(.seconds(1)), badge: nil))
            #expect(next(&queue) == "motion?")
            if cancels { _ = dropResults(&queue) } else { queue.replaceAll(by: [.clear]) }
            #expect(steps(of: &queue) == (cancels ? ["end"] : ["clear", "end"]))
        }
    }

    @Test func theViewIsAskedOnceForSeveralChangesOfItsSize() {
        var queue = CallQueue()
        for _ in 1...3 { queue.appendSizeUpdate() }
        #expect(queue.nextCall == nil)
        #expect(steps(of: &queue) == ["size", "end"])
    }

    @Test func theLoadingIndicatorFollowsFromTheTakenAndPendingCalls() {
        var queue = CallQueue()
        queue.append(.setLoading(true))
        #expect(queue.willShowLoading)
        // The view was not called, so that it shows no indicator.
        queue.replaceAll(by: [])
        #expect(!queue.willShowLoading)
        queue.append(.setLoading(true))
        #expect(steps(of: &queue) == ["loading", "end"])
        queue.replaceAll(by: [])
        #expect(queue.willShowLoading)
        queue.append(.setLoading(false))
        #expect(!queue.willShowLoading)
    }
}
