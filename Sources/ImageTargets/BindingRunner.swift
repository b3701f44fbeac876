internal import ImageCore

/// Executes what ``BindingState`` decides: starts and cancels loads, and calls the view, one call at a time.
///
/// A target owns its runner. A suspended call holds the runner but not the target, so that a target that is released
/// closes the runner even during a call.
final class BindingRunner<View: ImageViewAdapter>: Sendable {
    struct State {
        weak var view: View?
        var binding = BindingState()
        var request: ImageRequest?
        /// Whether the request gets the size of the view.
        var sizesToView = false
        /// The size of the request; `nil` until the view has told its size.
        var size: ViewImageSize?
        /// The size that the view told last.
        var viewSize: ViewImageSize?
        /// The load to start when the view shows the placeholder, or at once if a call to the view is suspended.
        var dueLoad: BindingState.Token?
        var load: (any LoadHandle)?
        var completion: BindingCompletion?
        /// The image with an animation that the view shows.
        var animated: Animated?
        /// `nil` where motion is reduced.
        var playing: Playing?
        /// Whether the app has stopped the animation, or has not started it.
        var isAnimationStopped = false
        var lastAnimation: UInt64 = 0

        var isAnimationPaused: Bool { isAnimationStopped || !binding.isVisible }
    }

    /// An image with an animation, as the view shows it.
    struct Animated {
        /// The first frame.
        let image: DecodedImage
        /// The tier whose badge is drawn into each frame.
        let badge: CacheTier?
        /// The number of its request.
        let request: UInt64
    }

    /// An animation that the view plays.
    struct Playing {
        let player: AnimationPlayer
        /// Ended when the animation stops.
        let signal: AsyncStream<Void>.Continuation

        func stop() {
            player.stop()
            signal.finish()
        }
    }

    /// What a driver executes.
    enum Step {
        case call(ViewCall, View)
        case complete(BindingCompletion?, Result<ImageResponse, LoadFailure>)
    }

    let loader: any ImageProviding
    let state: Lock<State>
    let owner: LoadOwner?

    init(_ view: View, loader: any ImageProviding, owner: LoadOwner?) {
        state = Lock(State(view: view))
        (self.loader, self.owner) = (loader, owner)
    }

    // MARK: Requests

    /// Ends the current request and its load.
    func stop(_ transition: (inout BindingState) -> Void) {
        _ = change { state in
            transition(&state.binding)
            state.end(nil)
            return .stop
        }
        endAnimation()
    }

    /// Ends all work, because the view or its target was released.
    func close() { stop { $0.close() } }

    /// Changes the state. A load that this ends is cancelled after the lock is released.
    func change(
        _ transition: (inout State) -> BindingState.LoadAction
    ) -> (BindingState.LoadAction, BindingState.Token) {
        let (action, token, old, released) = state.withLock { state in
            // What the completion captures may own the target, whose end takes the lock again.
            let released = (state.completion, state.request)
            let action = transition(&state)
            var old: (any LoadHandle)?
            if action == .start || action == .stop { swap(&old, &state.load) }
            return (action, state.binding.token, old, released)
        }
        withExtendedLifetime(released) { old?.cancel() }
        return (action, token)
    }

    // MARK: Loads

    /// Starts a load, or changes the priority of the running load.
    func execute(_ action: BindingState.LoadAction, _ token: BindingState.Token, _ isolation: (any Actor)?) {
        switch action {
        case .keep, .stop: break
        case .setPriority(let priority): state.withLock { $0.binding.token == token ? $0.load : nil }?.priority = priority
        case .start, .replace: startLoad(token, isolation)
        }
    }

    private func startDueLoad(_ isolation: (any Actor)?) {
        if let token = state.withLock({ $0.dueLoad.take() }) { startLoad(token, isolation) }
    }

    /// Starts the load. Its events change the state on the thread on which they arrive; the view is called on its own
    /// isolation.
    private func startLoad(_ token: BindingState.Token, _ isolation: (any Actor)?) {
        // A newer request may have replaced this one while the view showed the placeholder.
        let current = state.withLock { state in
            state.binding.token == token ? state.request.map { ($0, state.size, state.binding.options) } : nil
        }
        guard let (request, size, options) = current else { return }
        let signal = makeSignal(isolation)
        let load = loader.task(for: request.sized(to: size, options)) { [weak self] event in
            let isCurrent = self?.state.withLock { state in
                state.binding.receive(event, token)
                return state.binding.token == token
            }
            // A load that was replaced has no calls to make: those that are pending are its successor's.
            if isCurrent == true { signal.yield() }
            if case .finished = event { signal.finish() }
        }
        var old: (any LoadHandle)?
        let priority = state.withLock { state -> LoadPriority? in
            guard state.binding.token == token else { return nil }
            (old, state.load) = (state.load, load)
            return state.binding.effectivePriority
        }
        old?.cancel()
        guard let priority else { return load.cancel() }
        if load.priority != priority { load.priority = priority }
    }

    // MARK: Calls to the view

    /// Returns a signal that makes the pending calls, until it is finished. Signals do not pile up while a call is
    /// suspended.
    func makeSignal(_ isolation: (any Actor)?) -> AsyncStream<Void>.Continuation {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        Task { [self] in
            for await _ in signals { await makeCalls(isolation: isolation) }
        }
        return signal
    }

    /// Makes the pending calls, unless another driver makes them. Then starts the load that is due.
    ///
    /// Runs on the view's isolation, so that no newer request can come between taking a call and making it.
    func makeCalls(isolation: isolated (any Actor)? = #isolation) async {
        var answer: ViewCall.Answer?
        while let step = next(answer, isolation) {
            switch step {
            case .call(let call, let view): answer = await call.make(on: view)
            case .complete(let completion, let result):
                await completion?.call(result)
                answer = nil
            }
        }
        startDueLoad(isolation)
    }

    /// Takes the next step. `nil` if there is none, another driver makes the calls, or the view was released.
    ///
    /// - Parameter answer: what the last call returned; `nil` for a driver that begins, or that has called a completion
    ///   handler, which may have made the calls of a newer request.
    private func next(_ answer: ViewCall.Answer?, _ isolation: (any Actor)?) -> Step? {
        if let answer { receive(answer, isolation) } else if !state.withLock({ $0.binding.calls.start() }) { return nil }
        while true {
            let view = state.withLock { $0.view }
            if view == nil { close() }
            let (step, request, completion) = state.withLock { state in
                let step = state.binding.nextStep()
                let completion = if case .complete = step { state.completion.take() } else { BindingCompletion?.none }
                return (step, state.binding.token.request, completion)
            }
            guard let view, let step else { return nil }
            switch step {
            case .call(let call):
                if call.changesImage { endAnimation() }
                return .call(call.rendered, view)
            case .animate(let image, let badge):
                beginAnimation(Animated(image: image, badge: badge, request: request), isolation)
            case .updateMotion: if state.withLock({ $0.animated != nil }) { return .call(.prefersReducedMotion, view) }
            case .updateSize: if state.withLock({ $0.sizesToView }) { return .call(.imageSize, view) }
            case .complete(let result): return .complete(completion, result)
            }
        }
    }

    private func receive(_ answer: ViewCall.Answer, _ isolation: (any Actor)?) {
        state.withLock { $0.binding.calls.receive(answer) }
        switch answer {
        case .size(let size):
            state.withLock { $0.viewSize = size }
            setSize(size)
        case .isMotionReduced(let isReduced): updateMotion(isReduced: isReduced, isolation)
        case .nothing, .showsBadges: break
        }
    }
}

extension BindingRunner where View: MainActorImageView {
    /// Does what ``makeCalls(isolation:)`` does, before it returns.
    ///
    /// A driver of its own, because a synchronous function cannot run an `async` one to its end, and a list must show
    /// its memory hits in the turn in which it sets their requests.
    @MainActor func makeCallsNow() {
        var answer: ViewCall.Answer?
        while let step = next(answer, MainActor.shared) {
            switch step {
            case .call(let call, let view): answer = call.make(on: view)
            case .complete(let completion, let result):
                completion?.callNow(result)
                answer = nil
            }
        }
        startDueLoad(MainActor.shared)
    }
}

/// The completion handler of a request, as the caller passed it.
enum BindingCompletion: Sendable {
    case awaited(@Sendable (Result<ImageResponse, LoadFailure>) async -> Void)
    case onMainActor(@MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void)

    func call(_ result: Result<ImageResponse, LoadFailure>) async {
        switch self {
        case .awaited(let completion): await completion(result)
        case .onMainActor(let completion): await completion(result)
        }
    }

    @MainActor func callNow(_ result: Result<ImageResponse, LoadFailure>) {
        switch self {
        case .awaited(let completion): Task { await completion(result) }
        case .onMainActor(let completion): completion(result)
        }
    }
}
