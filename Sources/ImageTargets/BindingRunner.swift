internal import ImageCore

/// Executes what ``BindingState`` decides: starts and cancels loads, and calls the view, one call at a time.
///
/// A target owns its runner. A suspended call holds the runner but not the target, so that a target that is released closes the
/// runner even during a call.
final class BindingRunner<View: ImageViewAdapter>: Sendable {
    struct State {
        var binding = BindingState()
        var request: ImageRequest?
        var load: (any LoadHandle)?
        var completion: BindingCompletion?
        var sizing = Sizing.none
        /// The image with an animation that the view shows.
        var animated: Animated?
        /// `nil` where motion is reduced.
        var playing: Playing?
        var lastAnimation: UInt64 = 0
        var newestDraft: UInt64 = 0
    }

    /// An image with an animation, as the view shows it.
    struct Animated {
        /// The first frame.
        let image: DecodedImage
        /// The tier whose badge is drawn into each frame.
        var badge: CacheTier?
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

    /// How the size of the view determines that of the current request.
    enum Sizing {
        /// It does not.
        case none
        /// The load waits until the view has a size.
        case waiting(Draft)
        /// The request has the size of the view.
        case sized(Draft, PixelSize, ContentMode)
    }

    enum Step {
        /// A call, its view, and the number of the request that was current when the step was taken.
        case call(ViewCall, View, request: UInt64)
        case complete(BindingCompletion?, Result<ImageResponse, LoadFailure>)
        case updateMotion(View)
    }

    let loader: any ImageProviding
    let state = Lock(State())
    let view: Weak<View>
    let owner: LoadOwner?

    init(_ view: View, loader: any ImageProviding, owner: LoadOwner?) {
        (self.view, self.loader, self.owner) = (Weak(view), loader, owner)
    }

    // MARK: Requests

    /// Ends the current request, and shows that there is no image to load.
    func beginWithoutURL(_ completion: BindingCompletion?) {
        // The options of a request that sets none.
        let options = (try? loader.options(for: ImageRequest(.bytes(Data(), id: "")))) ?? LoadOptions()
        _ = change { state in
            state.end(completion)
            state.binding.beginWithoutURL(options)
            return .stop
        }
    }

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
        let (action, token, old) = state.withLock { state in
            let action = transition(&state)
            var old: (any LoadHandle)?
            if action == .start || action == .stop { swap(&old, &state.load) }
            return (action, state.binding.token, old)
        }
        old?.cancel()
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

    /// Starts the load. Its events change the state on the thread on which they arrive; the view is called on its own isolation.
    private func startLoad(_ token: BindingState.Token, _ isolation: (any Actor)?) {
        // A newer request may have replaced this one while the view showed the placeholder.
        guard let request = state.withLock({ $0.binding.token == token ? $0.request : nil }) else { return }
        // The stream keeps one signal at most, so that signals do not pile up while a call is suspended.
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let load = loader.task(for: request) { [weak self] event in
            self?.state.withLock { $0.binding.receive(event, token) }
            signal.yield()
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
        Task { [self] in
            for await _ in signals { await makeCalls(isolation: isolation) }
        }
    }

    // MARK: Calls to the view

    /// The size that the view has for its image.
    func viewSize(isolation: isolated (any Actor)? = #isolation) async -> ViewImageSize {
        await view.value?.imageSize() ?? .unlimited
    }

    /// Makes the pending calls. Does nothing while another call to this function makes them.
    ///
    /// Runs on the view's isolation, so that no newer request can come between taking a call and making it.
    func makeCalls(isolation: isolated (any Actor)? = #isolation) async {
        guard startCalls() else { return }
        while let step = nextStep() {
            switch step {
            case .call(let call, let view, let request): await make(call, on: view, request)
            case .complete(let completion, let result):
                await completion?.call(result)
                // A frame of the animation may have come meanwhile.
                guard startCalls() else { return }
            case .updateMotion(let view):
                guard isAnimated else { break }
                await updateMotion(isReduced: await view.prefersReducedMotion(), isolation)?.rendered.make(on: view)
            }
        }
    }

    private func make(
        _ call: ViewCall, on view: View, _ request: UInt64, isolation: isolated (any Actor)? = #isolation
    ) async {
        var animated = call.animated.map { Animated(image: $0.image, badge: $0.badge, request: request) }
        var rendered = call.rendered
        var isMotionReduced = false
        // A memory hit of a still image has no motion, and must not wait for the view's answer.
        if call.hasMotion {
            isMotionReduced = await view.prefersReducedMotion()
            if isMotionReduced { rendered = rendered.withoutTransition }
            // A newer request may have come while the view answered.
            guard state.withLock({ $0.binding.token.request == request }) else { return }
        }
        if case .setImage(_, _, let tier) = rendered {
            if await view.setTierBadge(tier) { animated?.badge = nil } else { rendered = rendered.withDrawnBadge }
            guard state.withLock({ $0.binding.token.request == request }) else { return }
        }
        if rendered.changesImage { endAnimation() }
        await rendered.make(on: view)
        if let animated { beginAnimation(animated, isMotionReduced: isMotionReduced, isolation) }
    }

    /// Returns whether the caller must now make the calls, which it takes from ``nextStep()``.
    func startCalls() -> Bool { state.withLock { $0.binding.startCalls() } }

    /// Takes the next step. `nil` if there is none or the view was released.
    func nextStep() -> Step? {
        let view = view.value
        if view == nil { close() }
        return state.withLock { state in
            switch state.binding.nextStep() {
            case .call(let call): return view.map { .call(call, $0, request: state.binding.token.request) }
            case .complete(let result):
                defer { state.completion = nil }
                return view.map { _ in .complete(state.completion, result) }
            case .updateMotion: return view.map { .updateMotion($0) }
            case nil: return nil
            }
        }
    }
}

extension BindingRunner where View: MainActorImageView {
    /// The size that the view has for its image.
    @MainActor func viewSizeNow() -> ViewImageSize { view.value?.imageSize() ?? .unlimited }

    /// Makes the pending calls before it returns. During another call to the view it does nothing: the loop that makes that call
    /// also makes the pending ones.
    @MainActor func makeCallsNow() {
        guard startCalls() else { return }
        while let step = nextStep() {
            switch step {
            case .call(let call, let view, let request):
                var animated = call.animated.map { Animated(image: $0.image, badge: $0.badge, request: request) }
                var rendered = call.rendered
                let isMotionReduced = call.hasMotion && view.prefersReducedMotion()
                if isMotionReduced { rendered = rendered.withoutTransition }
                if case .setImage(_, _, let tier) = rendered {
                    if view.setTierBadge(tier) { animated?.badge = nil } else { rendered = rendered.withDrawnBadge }
                }
                if rendered.changesImage { endAnimation() }
                rendered.make(on: view)
                if let animated { beginAnimation(animated, isMotionReduced: isMotionReduced, MainActor.shared) }
            case .complete(let completion, let result):
                completion?.callNow(result)
                guard startCalls() else { return }
            case .updateMotion(let view):
                guard isAnimated else { break }
                updateMotion(isReduced: view.prefersReducedMotion(), MainActor.shared)?.rendered.make(on: view)
            }
        }
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
