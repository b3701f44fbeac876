import CalotypeTesting
import Dispatch
import ImageCore
import ImageTargets
import Synchronization
import Testing

/// How often a target enters the actor of its view.
@Suite(.timeLimit(.minutes(1))) struct ActorHops {
    /// Runs the jobs of an actor in order, and counts them.
    private final class CountingExecutor: SerialExecutor {
        private let queue = DispatchQueue(label: "view")
        private let count = Mutex(0)
        var jobs: Int { count.withLock { $0 } }
        func enqueue(_ job: consuming ExecutorJob) {
            count.withLock { $0 += 1 }
            let job = UnownedJob(job)
            queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    private actor PlainView: ImageViewAdapter {
        nonisolated let executor = CountingExecutor()
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
        func setImage(_ image: DecodedImage, transition: ImageTransition) {}
        func clear() {}
        func setPlaceholder(_ placeholder: Placeholder) {}
    }

    private actor SizedView: ImageViewAdapter {
        nonisolated let executor = CountingExecutor()
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
        func setImage(_ image: DecodedImage, transition: ImageTransition) {}
        func clear() {}
        func setPlaceholder(_ placeholder: Placeholder) {}
        func imageSize() -> ViewImageSize { .unlimited }
        func show(_ url: URL, in target: ImageTarget<SizedView>) async { await target.setImage(url) }
    }

    private let provider = ScriptedProvider()
    private let url = URL(string: "test://a")!

    @Test func theDefaultsOfAnAdapterDoNotEnterItsActor() async {
        let view = PlainView()
        let target = ImageTarget(view, loader: provider)
        await target.setImage(url)
        // For `clear()`.
        #expect(view.executor.jobs == 1)
    }

    @Test func aCallFromTheViewsActorEntersItNoMore() async {
        let view = SizedView()
        let target = ImageTarget(view, loader: provider)
        await view.show(url, in: target)
        #expect(view.executor.jobs == 1)
        // A call from elsewhere enters it for `imageSize()` and for `clear()`.
        await ImageTarget(view, loader: provider).setImage(url)
        #expect(view.executor.jobs == 3)
    }
}
