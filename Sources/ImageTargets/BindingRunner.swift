internal import ImageCore

/// Carries out what ``BindingState`` decides: starts and cancels loads, and makes the calls to the view, one at a time.
///
/// A target owns its runner. A call that suspends holds the runner and not the target, so that a target that goes away closes the
/// runner even then.
final class BindingRunner<View: ImageViewAdapter>: Sendable {
    struct State {
        var binding = BindingState()
        var request: ImageRequest?
        var load: (any LoadHandle)?
        var completion: BindingCompletion?
    }

    enum Step {
        /// A call, and the number of the request that was the current one when it was taken.
        case call(ViewCall, View, request: UInt64)
        case complete(BindingCompletion?, Result<ImageResponse, LoadFailure>)
    }

    let loader: any ImageProviding
    let state = Lock(State())
    private let view: Weak<View>

    init(_ view: View, loader: any ImageProviding) { (self.view, self.loader) = (Weak(view), loader) }

    // MARK: Requests

    /// Makes the request the current one and cancels the load of the one before; `nil` when it is the same. The load of a held
    /// request begins later.
    func begin(
        _ request: ImageRequest, _ completion: BindingCompletion?, isHeld: Bool = false
    ) -> (BindingState.LoadAction, BindingState.Token)? {
        var request = request
        request.purpose = .view
        // The load reports a bad option.
        let options = (try? loader.options(for: request)) ?? LoadOptions()
        guard !state.withLock({ $0.binding.isSame(request, options: options) }) else { return nil }
        let hit = loader.cachedImage(for: request)
        return change { [request] state in
            (state.request, state.completion) = (request, completion)
            return state.binding.begin(request, options: options, hit: hit, isHeld: isHeld)
        }
    }

    /// Ends the current request and its load.
    func stop(_ transition: (inout BindingState) -> Void) {
        _ = change { state in
            transition(&state.binding)
            (state.request, state.completion) = (nil, nil)
            return .stop
        }
    }

    /// The view or its target is gone.
    func close() { stop { $0.close() } }

    /// Changes the state, and cancels the load that this ends once the lock is left.
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

    /// Starts a load, or changes the priority of the one that runs.
    func carryOut(_ action: BindingState.LoadAction, _ token: BindingState.Token, _ isolation: (any Actor)?) {
        switch action {
        case .keep, .stop: break
        case .setPriority(let priority): state.withLock { $0.binding.token == token ? $0.load : nil }?.priority = priority
        case .start: start(token, isolation)
        }
    }

    /// Starts the load. Its events change the state where they arrive, and the calls that follow are made on the view's isolation.
    private func start(_ token: BindingState.Token, _ isolation: (any Actor)?) {
        // A newer request may have come while the placeholder was shown.
        guard let request = state.withLock({ $0.binding.token == token ? $0.request : nil }) else { return }
        // One signal stands for all events since the last one, so that none pile up while a call suspends.
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let load = loader.load(request) { [weak self] event in
            self?.state.withLock { $0.binding.receive(event, token) }
            signal.yield()
            if case .finished = event { signal.finish() }
        }
        let priority = state.withLock { state -> LoadPriority? in
            guard state.binding.token == token else { return nil }
            state.load = load
            return state.binding.effectivePriority
        }
        guard let priority else { return load.cancel() }
        if load.priority != priority { load.priority = priority }
        Task { [self] in
            for await _ in signals { await makeCalls(isolation: isolation) }
        }
    }

    // MARK: Calls to the view

    /// Makes the pending calls, unless another runner does: then that one makes them.
    ///
    /// Runs on the view's isolation, so that no newer request comes between taking a call and making it.
    func makeCalls(isolation: isolated (any Actor)? = #isolation) async {
        guard start() else { return }
        while let step = next() {
            switch step {
            case .call(let call, let view, let request): await make(call, on: view, request)
            case .complete(let completion, let result): return await completion?.call(result) ?? ()
            }
        }
    }

    private func make(_ call: ViewCall, on view: View, _ request: UInt64) async {
        var call = call.drawn
        // Only asked where it makes a difference: a memory hit must not wait for an answer.
        if call.hasTransition {
            if await view.prefersReducedMotion() { call = call.withoutTransition }
            // The answer may have taken its time, and a newer request come meanwhile.
            guard state.withLock({ $0.binding.token.request == request }) else { return }
        }
        await call.make(on: view)
    }

    /// Whether the caller is to make the calls, with ``next()``.
    func start() -> Bool { state.withLock { $0.binding.startCalls() } }

    /// The next step of the runner; `nil` when there is none, or the view is gone.
    func next() -> Step? {
        let view = view.value
        if view == nil { close() }
        return state.withLock { state in
            switch state.binding.nextStep() {
            case .call(let call): return view.map { .call(call, $0, request: state.binding.token.request) }
            case .complete(let result):
                defer { state.completion = nil }
                return view.map { _ in .complete(state.completion, result) }
            case nil: return nil
            }
        }
    }
}

extension BindingRunner where View: MainActorImageView {
    /// Makes the pending calls before it returns. Where this is called from within a call or while one suspends, the runner of that
    /// call makes them.
    @MainActor func makeCallsNow() {
        guard start() else { return }
        while let step = next() {
            switch step {
            case .call(let call, let view, _):
                let call = call.drawn
                (call.hasTransition && view.prefersReducedMotion() ? call.withoutTransition : call).make(on: view)
            case .complete(let completion, let result): return completion?.callNow(result) ?? ()
            }
        }
    }
}

/// The completion of a request, as its caller passed it.
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
