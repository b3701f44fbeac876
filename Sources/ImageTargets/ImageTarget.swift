public import ImageCore

/// Binds one view to one load at a time, by the same rules on every framework:
///
/// - a new request cancels the old one, down to its network work;
/// - a stale result is never shown, and its completion never called;
/// - the same request again does nothing, and its completion is not called;
/// - a memory hit shows at once, without placeholder or transition;
/// - completions run where the target lives.
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

    private struct State {
        var binding = BindingState()
        var load: (any LoadHandle)?
        var completion: Completion?
    }

    private let loader: any ImageProviding
    private let view: Weak<View>
    private let state = Lock(State())

    /// - Parameters:
    ///   - view: held weakly; when it is gone, nothing is shown any more.
    ///   - loader: asked for every image.
    public init(_ view: View, loader: any ImageProviding) {
        self.view = Weak(view)
        self.loader = loader
    }

    deinit { state.withLock { $0.load }?.cancel() }

    /// What the view shows or waits for; `nil` before the first request and after ``clear(isolation:)``.
    public var currentSource: ImageSource? { state.withLock { $0.binding.source } }

    /// Shows the image of a request, now or when it is loaded. Returns once the view shows the beginning: the image
    /// itself on a memory hit, else the placeholder.
    ///
    /// - Parameters:
    ///   - isolation: where the view lives; the caller's isolation, which is where this must be called.
    ///   - completion: called there once with the result, unless the request is replaced, repeated or cancelled.
    public func setImage(
        _ request: ImageRequest, isolation: isolated (any Actor)? = #isolation, completion: Completion? = nil
    ) async {
        var request = request
        request.purpose = .view
        // A bad option is the load's to report.
        let options = (try? loader.options(for: request)) ?? LoadOptions()
        guard !state.withLock({ $0.binding.isSame(request, options: options) }) else { return }
        let hit = loader.cachedImage(for: request)
        let (effects, token, old) = state.withLock { state in
            let effects = state.binding.begin(request, options: options, hit: hit)
            defer { (state.load, state.completion) = (nil, completion) }
            return (effects, state.binding.token, state.load)
        }
        old?.cancel()
        await perform(effects, token)
        guard hit == nil else { return }
        start(request, token, isolation)
    }

    /// Stops loading; what is shown stays.
    public func cancel(isolation: isolated (any Actor)? = #isolation) async {
        await stop { $0.cancel() }
    }

    /// Stops loading and shows nothing: the view is going to be reused.
    public func clear(isolation: isolated (any Actor)? = #isolation) async {
        await stop { $0.reset() }
    }

    /// How urgent the current load is, for a view that goes off screen and comes back.
    public func setPriority(_ priority: LoadPriority) {
        state.withLock { $0.load }?.priority = priority
    }

    private func stop(
        isolation: isolated (any Actor)? = #isolation, _ change: (inout BindingState) -> [BindingState.Effect]
    ) async {
        let (effects, token, load) = state.withLock { state in
            let effects = change(&state.binding)
            defer { (state.load, state.completion) = (nil, nil) }
            return (effects, state.binding.token, state.load)
        }
        load?.cancel()
        await perform(effects, token)
    }

    /// Starts the load and passes its events on, in order, to the view's isolation.
    private func start(_ request: ImageRequest, _ token: BindingState.Token, _ isolation: (any Actor)?) {
        let (events, continuation) = AsyncStream.makeStream(of: LoadEvent.self)
        let load = loader.load(request) { event in
            continuation.yield(event)
            if case .finished = event { continuation.finish() }
        }
        let isCurrent = state.withLock { state in
            // The placeholder's showing may have suspended, and a newer request come meanwhile.
            guard state.binding.token == token else { return false }
            state.load = load
            return true
        }
        guard isCurrent else { return load.cancel() }
        Task { [weak self] in
            for await event in events {
                guard let self else { return }
                await self.receive(event, token, isolation: isolation)
            }
        }
    }

    /// Runs on the view's isolation, so that no newer request comes between the look at the token and the showing.
    private func receive(_ event: LoadEvent, _ token: BindingState.Token, isolation: isolated (any Actor)?) async {
        await perform(state.withLock { $0.binding.receive(event, token) }, token)
    }

    private func perform(
        _ effects: [BindingState.Effect], _ token: BindingState.Token, isolation: isolated (any Actor)? = #isolation
    ) async {
        guard let view = view.value else { return }
        for effect in effects {
            // A view on another isolation suspends; then a newer request may have come.
            guard state.withLock({ $0.binding.token == token }) else { return }
            switch effect {
            case .setImage(let image, let transition): await view.setImage(image, transition: transition)
            case .clear: await view.clear()
            case .setPlaceholder(let placeholder): await view.setPlaceholder(placeholder)
            case .setLoading(let isLoading): await view.setLoading(isLoading)
            case .setProgress(let progress): await view.setProgress(progress)
            case .setFailure(let error): await view.setFailure(error)
            case .setAccessibilityLabel(let label): await view.setAccessibilityLabel(label)
            case .complete(let result):
                let completion = state.withLock { state in
                    defer { state.completion = nil }
                    return state.completion
                }
                await completion?(result)
            }
        }
    }
}

/// A weak reference that may cross isolations.
private struct Weak<Object: AnyObject & Sendable>: Sendable {
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
