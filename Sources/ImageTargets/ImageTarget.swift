public import ImageCore

/// Binds one view to one load at a time, by the same rules on every framework:
///
/// - a new request cancels the old one, down to its network work;
/// - a stale result is never shown, and its completion never called;
/// - the same request again does nothing, and its completion is not called;
/// - a memory hit shows at once, without placeholder or transition;
/// - completions run where the target lives;
/// - a view that goes off screen lowers or cancels its load, by option, and takes it up again when it comes back.
///
/// Make one per view and keep it with the view; when it goes, its load is cancelled. Call it from the isolation on which
/// the view lives: everything that the view is told happens there, between two suspension points of nobody else.
///
/// ```swift
/// actor Frame: ImageViewAdapter {
///     private(set) var shown: DecodedImage?
///     private var target: ImageTarget<Frame>?
///     func show(_ url: URL, with loader: any ImageProviding) async {
///         let target = self.target ?? ImageTarget(self, loader: loader)
///         self.target = target
///         await target.setImage(ImageRequest(url: url))
///     }
///     func setImage(_ image: DecodedImage, transition: Transition) { shown = image }
///     func setPlaceholder(_ placeholder: Placeholder) {}
///     func clear() { shown = nil }
/// }
/// ```
public final class ImageTarget<View: ImageViewAdapter>: Sendable {
    public typealias Completion = @Sendable (Result<ImageResponse, LoadFailure>) async -> Void

    struct State {
        var binding = BindingState()
        var request: ImageRequest?
        var load: (any LoadHandle)?
        var completion: Completion?
    }

    let loader: any ImageProviding
    let view: Weak<View>
    let state = Lock(State())

    /// - Parameters:
    ///   - view: held weakly; when it is gone, its load is cancelled at its next event.
    ///   - loader: asked for every image.
    public init(_ view: View, loader: any ImageProviding) {
        self.view = Weak(view)
        self.loader = loader
    }

    deinit { state.withLock { $0.load }?.cancel() }

    /// What the view shows or waits for; `nil` before the first request and after ``clear(isolation:)``.
    public var currentSource: ImageSource? { state.withLock { $0.binding.source } }

    /// Whether the view is on screen, as it was last told; `true` at first.
    public var isVisible: Bool { state.withLock { $0.binding.isVisible } }

    /// Shows the image of a request, now or when it is loaded. Returns once the view shows the beginning: the image
    /// itself on a memory hit, else the placeholder.
    ///
    /// - Parameters:
    ///   - isolation: where the view lives; the caller's isolation, which is where this must be called.
    ///   - completion: called there once with the result, unless the request is replaced, repeated or cancelled.
    public func setImage(
        _ request: ImageRequest, isolation: isolated (any Actor)? = #isolation, completion: Completion? = nil
    ) async {
        guard let (change, token) = begin(request, completion) else { return }
        await perform(change.effects, token)
        carryOut(change.load, token, isolation)
    }

    /// Stops loading; what is shown stays.
    public func cancel(isolation: isolated (any Actor)? = #isolation) async {
        let (effects, token) = stop { $0.cancel() }
        await perform(effects, token)
    }

    /// Stops loading and shows nothing: the view is going to be reused.
    public func clear(isolation: isolated (any Actor)? = #isolation) async {
        let (effects, token) = stop { $0.reset() }
        await perform(effects, token)
    }

    /// Tells that the view came on screen, or went off it; what becomes of the load is the option
    /// ``LoadOptions/offScreenPolicy``. What the view shows does not change.
    ///
    /// - Parameter isolation: where the view lives; the caller's isolation.
    public func setVisible(_ isVisible: Bool, isolation: isolated (any Actor)? = #isolation) {
        let (action, token, old) = state.withLock { state in
            let action = state.binding.setVisible(isVisible).load
            return (action, state.binding.token, takeLoad(&state, action))
        }
        old?.cancel()
        carryOut(action, token, isolation)
    }

    /// How urgent the current load is while the view is on screen.
    public func setPriority(_ priority: LoadPriority) {
        let (action, token) = state.withLock { ($0.binding.setPriority(priority).load, $0.binding.token) }
        carryOut(action, token, nil)
    }

    // MARK: Loads

    /// Makes the request the current one and gives up the old one's load; `nil` when it is the same. A held one's load begins
    /// later.
    func begin(
        _ request: ImageRequest, _ completion: Completion?, isHeld: Bool = false
    ) -> (BindingState.Change, BindingState.Token)? {
        var request = request
        request.purpose = .view
        // A bad option is the load's to report.
        let options = (try? loader.options(for: request)) ?? LoadOptions()
        guard !state.withLock({ $0.binding.isSame(request, options: options) }) else { return nil }
        let hit = loader.cachedImage(for: request)
        let (change, token, old) = state.withLock { [request] state in
            let change = state.binding.begin(request, options: options, hit: hit, isHeld: isHeld)
            (state.request, state.completion) = (request, completion)
            return (change, state.binding.token, takeLoad(&state, change.load))
        }
        old?.cancel()
        return (change, token)
    }

    func stop(_ transition: (inout BindingState) -> BindingState.Change) -> ([BindingState.Effect], BindingState.Token) {
        let (effects, token, load) = state.withLock { state in
            let effects = transition(&state.binding).effects
            defer { (state.request, state.load, state.completion) = (nil, nil, nil) }
            return (effects, state.binding.token, state.load)
        }
        load?.cancel()
        return (effects, token)
    }

    /// Starts a load, or changes the priority of the one that runs. Those that end were taken out with `takeLoad`.
    func carryOut(_ action: BindingState.LoadAction, _ token: BindingState.Token, _ isolation: (any Actor)?) {
        switch action {
        case .keep, .stop: break
        case .setPriority(let priority): state.withLock { $0.binding.token == token ? $0.load : nil }?.priority = priority
        case .start: start(token, isolation)
        }
    }

    /// The load that the action ends, to be cancelled once the lock is left.
    private func takeLoad(_ state: inout State, _ action: BindingState.LoadAction) -> (any LoadHandle)? {
        switch action {
        case .keep, .setPriority: return nil
        case .start, .stop:
            defer { state.load = nil }
            return state.load
        }
    }

    /// Starts the load and passes its events on, in order, to the view's isolation.
    private func start(_ token: BindingState.Token, _ isolation: (any Actor)?) {
        // The placeholder's showing may have suspended, and a newer request come meanwhile.
        guard let request = state.withLock({ $0.binding.token == token ? $0.request : nil }) else { return }
        let (events, continuation) = AsyncStream.makeStream(of: LoadEvent.self)
        let load = loader.load(request) { event in
            continuation.yield(event)
            if case .finished = event { continuation.finish() }
        }
        let priority = state.withLock { state -> LoadPriority? in
            guard state.binding.token == token else { return nil }
            state.load = load
            return state.binding.effectivePriority
        }
        guard let priority else { return load.cancel() }
        if load.priority != priority { load.priority = priority }
        Task { [weak self] in
            for await event in events {
                guard let self else { return }
                await self.receive(event, token, isolation: isolation)
            }
        }
    }

    /// Runs on the view's isolation, so that no newer request comes between the look at the token and the showing.
    private func receive(_ event: LoadEvent, _ token: BindingState.Token, isolation: isolated (any Actor)?) async {
        guard view.value != nil else { return stopForGood() }
        await perform(state.withLock { $0.binding.receive(event, token) }, token)
    }

    /// The view is gone.
    private func stopForGood() { _ = stop { $0.reset() } }

    // MARK: Showing

    private func perform(
        _ effects: [BindingState.Effect], _ token: BindingState.Token, isolation: isolated (any Actor)? = #isolation
    ) async {
        guard let view = view.value else { return }
        for effect in effects {
            // A view on another isolation suspends; then a newer request may have come.
            guard state.withLock({ $0.binding.token.request == token.request }) else { return }
            switch effect.drawn {
            case .setImage(let image, var transition, _):
                // Not asked where it makes no difference: a memory hit must not wait for an answer.
                if transition != .none, await view.prefersReducedMotion() { transition = .none }
                await view.setImage(image, transition: transition)
            case .clear: await view.clear()
            case .setPlaceholder(let placeholder): await view.setPlaceholder(placeholder)
            case .setLoading(let isLoading): await view.setLoading(isLoading)
            case .setProgress(let progress): await view.setProgress(progress)
            case .setFailure(let error): await view.setFailure(error)
            case .setAccessibilityLabel(let label): await view.setAccessibilityLabel(label)
            case .complete(let result): await endShowing()?(result)
            }
        }
    }

    /// The view has been told everything; returns the completion that is to be called now.
    func endShowing() -> Completion? {
        state.withLock { state in
            state.binding.endShowing()
            defer { state.completion = nil }
            return state.completion
        }
    }
}

extension BindingState.Effect {
    /// The effect with its picture made: the badge drawn, the hash a small image.
    var drawn: BindingState.Effect {
        switch self {
        case .setImage(let image, let transition, let tier?):
            return .setImage(TierBadge(tier).drawn(on: image), transition, badge: nil)
        case .setPlaceholder(.hash(let hash)):
            return (try? hash.draw()).map { .setPlaceholder(.image($0)) } ?? .clear
        default: return self
        }
    }
}

/// A weak reference that may cross isolations.
struct Weak<Object: AnyObject & Sendable>: Sendable {
    // `weak let` would do if the oldest compiler knew it; the reference itself never changes after `init`.
    private let box: Box
    init(_ object: Object) { box = Box(object) }
    var value: Object? { box.state.withLock { $0.object } }

    private struct Reference { weak var object: Object? }
    private final class Box: Sendable {
        let state: Lock<Reference>
        init(_ object: Object) { state = Lock(Reference(object: object)) }
    }
}
