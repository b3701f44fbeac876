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
/// Make one per view and keep it with the view; when it goes, its load is cancelled and the view is not called any more. Call it
/// from the isolation on which the view lives: every call to the view is made there, one at a time and in order. Where a call to the
/// view suspends, those of a newer request wait for its end, and take the place of the older request's that have not begun.
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

    let runner: BindingRunner<View>

    /// - Parameters:
    ///   - view: held weakly; when it is gone, its load is cancelled at its next event.
    ///   - loader: asked for every image.
    public init(_ view: View, loader: any ImageProviding) { runner = BindingRunner(view, loader: loader) }

    deinit { runner.close() }

    /// What the view shows or waits for; `nil` before the first request and after ``clear(isolation:)``.
    public var currentSource: ImageSource? { runner.state.withLock { $0.binding.source } }

    /// Whether the view is on screen, as it was last told; `true` at first.
    public var isVisible: Bool { runner.state.withLock { $0.binding.isVisible } }

    /// Whether calls to the view are pending, or one has not returned.
    package var isCallingView: Bool { runner.state.withLock { !$0.binding.calls.isIdle } }

    /// Shows the image of a request, now or when it is loaded. Returns once the view shows the beginning: the image
    /// itself on a memory hit, else the placeholder. While an earlier call to the view has not returned, this does not wait for it:
    /// the beginning follows that call.
    ///
    /// - Parameters:
    ///   - isolation: where the view lives; the caller's isolation, which is where this must be called.
    ///   - completion: called there once with the result, unless the request is replaced, repeated or cancelled.
    public func setImage(
        _ request: ImageRequest, isolation: isolated (any Actor)? = #isolation, completion: Completion? = nil
    ) async {
        guard let (action, token) = runner.begin(request, completion.map { .awaited($0) }) else { return }
        await runner.makeCalls()
        runner.carryOut(action, token, isolation)
    }

    /// Stops loading; what is shown stays.
    public func cancel(isolation: isolated (any Actor)? = #isolation) async {
        runner.stop { $0.cancel() }
        await runner.makeCalls()
    }

    /// Stops loading and shows nothing: the view is going to be reused.
    public func clear(isolation: isolated (any Actor)? = #isolation) async {
        runner.stop { $0.reset() }
        await runner.makeCalls()
    }

    /// Tells that the view came on screen, or went off it; what becomes of the load is the option
    /// ``LoadOptions/offScreenPolicy``. What the view shows does not change.
    ///
    /// - Parameter isolation: where the view lives; the caller's isolation.
    public func setVisible(_ isVisible: Bool, isolation: isolated (any Actor)? = #isolation) {
        let (action, token) = runner.change { $0.binding.setVisible(isVisible) }
        runner.carryOut(action, token, isolation)
    }

    /// How urgent the current load is while the view is on screen.
    public func setPriority(_ priority: LoadPriority) {
        let (action, token) = runner.change { $0.binding.setPriority(priority) }
        runner.carryOut(action, token, nil)
    }
}
