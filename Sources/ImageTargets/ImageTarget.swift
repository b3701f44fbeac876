public import ImageCore

/// Binds a view to one load at a time, by the same rules for every framework.
///
/// - A new request cancels the previous one, including its network transfer.
/// - A stale result is never shown, and its completion is never called.
/// - A request that equals the current one does nothing, and its completion is not called. One for the same image with
///   other options, such as a label or a placeholder, changes only what they say. If the view shows the image and the
///   ``LoadOptions/cachePolicy`` asks the source (`reload`, `revalidate`), the image is fetched again, and the view
///   keeps it until the new one is there.
/// - A memory hit is shown at once, without placeholder or transition.
/// - An animation plays until the view shows something else, leaves the screen or is released, unless the user prefers
///   reduced motion. ``stopAnimation()``, ``startAnimation()`` and the options ``LoadOptions/animationPlays`` and
///   ``LoadOptions/autoplays`` control it.
/// - Completions run on the isolation of the caller.
/// - When the view leaves the screen, the target lowers the priority of the load or cancels it, as
///   ``LoadOptions/offScreenPolicy`` says. When the view comes back, the target restores the priority or starts the
///   load again.
///
/// Make one target per view and keep it as long as the view. Releasing the target cancels its load and ends the calls
/// to the view. Call the target from the view's isolation: it makes every call to the view there, one at a time and in
/// order. While a call to the view is suspended, the calls of a newer request wait, and replace the pending calls of
/// the older one. The load of the newer request does not wait: where it needs the size of the view, it has the size
/// that the view told last.
///
/// ```swift
/// actor Frame: ImageViewAdapter {
///     private(set) var shown: DecodedImage?
///     private var target: ImageTarget<Frame>?
///     func show(_ url: URL, with loader: any ImageProviding) async {
///         let target = self.target ?? ImageTarget(self, loader: loader)
///         self.target = target
///         await target.setImage(url)
///     }
///     func setImage(_ image: DecodedImage, transition: ImageTransition) { shown = image }
///     func setPlaceholder(_ placeholder: Placeholder) {}
///     func clear() { shown = nil }
/// }
/// ```
public final class ImageTarget<View: ImageViewAdapter>: Sendable {
    /// Receives the result of a request.
    public typealias Completion = @Sendable (Result<ImageResponse, LoadFailure>) async -> Void

    let runner: BindingRunner<View>

    /// Makes a target for a view.
    ///
    /// - Parameters:
    ///   - view: the view that shows the images. The target keeps a weak reference. If the view is released, its load
    ///     is cancelled at the load's next event.
    ///   - loader: loads the images.
    ///   - owner: the owner of the requests that name none, so that a loader can cancel the loads of a screen; `nil` by
    ///     default.
    public init(_ view: View, loader: any ImageProviding, owner: LoadOwner? = nil) {
        runner = BindingRunner(view, loader: loader, owner: owner)
    }

    deinit { runner.close() }

    /// The source of the image that the view shows or loads; `nil` before the first request and after
    /// ``clear(isolation:)``.
    public var currentSource: ImageSource? { runner.state.withLock { $0.binding.source } }

    /// Whether the view is on screen: the last argument of ``setVisible(_:isolation:)``, `true` at first.
    public var isVisible: Bool { runner.state.withLock { $0.binding.isVisible } }

    /// Whether calls to the view are pending or one has not returned yet.
    package var isCallingView: Bool { runner.state.withLock { !$0.binding.calls.isIdle } }

    /// Shows the image of a request, now or when it is loaded.
    ///
    /// Returns when the view shows the image of a memory hit, or otherwise the placeholder. If an earlier call to the
    /// view has not returned yet, this method does not wait for it, and the view shows the image or the placeholder
    /// after that call.
    ///
    /// - Parameters:
    ///   - request: the image to show.
    ///   - isolation: the isolation of the view, which must be the caller's.
    ///   - completion: called once with the result, on `isolation`; not called if the request is replaced, repeated or
    ///     cancelled. `nil` by default.
    public func setImage(
        _ request: ImageRequest, isolation: isolated (any Actor)? = #isolation, completion: Completion? = nil
    ) async {
        runner.begin(request, completion.map { .awaited($0) })
        await runner.makeCalls()
    }

    /// Shows the image at a URL, now or when it is loaded.
    ///
    /// - Parameters:
    ///   - url: the URL of the image. `nil` cancels the load and shows the failure image of the loader's options, or
    ///     otherwise their placeholder; the completion is then called with ``ImageError/Code/invalidRequest``.
    ///   - size: the box in pixels that the image is scaled down to; `nil`, the default, leaves it to the loader's
    ///     options.
    ///   - processors: the processors to run on the image, in order; an empty list, the default, leaves them to the
    ///     loader's options.
    ///   - isolation: the isolation of the view, which must be the caller's.
    ///   - completion: called as by ``setImage(_:isolation:completion:)``. `nil` by default.
    public func setImage(
        _ url: URL?, size: PixelSize? = nil, processors: [any Processing] = [],
        isolation: isolated (any Actor)? = #isolation, completion: Completion? = nil
    ) async {
        let request = url.map { ImageRequest(url: $0, size: size, processors: processors) }
        runner.begin(request, completion.map { .awaited($0) })
        await runner.makeCalls()
    }

    /// Cancels the load. The view keeps what it shows.
    ///
    /// - Parameter isolation: the isolation of the view, which must be the caller's.
    public func cancel(isolation: isolated (any Actor)? = #isolation) async {
        runner.stop { $0.cancel() }
        await runner.makeCalls()
    }

    /// Cancels the load and clears the view, for example before the view is reused.
    ///
    /// - Parameter isolation: the isolation of the view, which must be the caller's.
    public func clear(isolation: isolated (any Actor)? = #isolation) async {
        runner.stop { $0.reset() }
        await runner.makeCalls()
    }

    /// Reports that the view came on screen or left it. ``LoadOptions/offScreenPolicy`` says what happens to the load.
    /// An animation pauses off screen; otherwise, what the view shows does not change.
    ///
    /// - Parameters:
    ///   - isVisible: whether the view is on screen.
    ///   - isolation: the isolation of the view, which must be the caller's.
    public func setVisible(_ isVisible: Bool, isolation: isolated (any Actor)? = #isolation) {
        runner.setVisible(isVisible, isolation)
    }

    /// Reports that the size, the scale or the content mode of the view has changed.
    ///
    /// A load that waited for the size of the view starts. If the view has grown since the request began, and the
    /// request has the size of the view (``LoadOptions/sizesToTarget``), the image is loaded again, and the view keeps
    /// the smaller one meanwhile.
    ///
    /// - Parameter isolation: the isolation of the view, which must be the caller's.
    public func viewSizeChanged(isolation: isolated (any Actor)? = #isolation) async {
        runner.state.withLock { $0.binding.calls.appendSizeUpdate() }
        await runner.makeCalls()
    }

    /// Reports that the user's preference for reduced motion may have changed.
    ///
    /// The target asks the view: ``ImageViewAdapter/prefersReducedMotion()``. Where motion is reduced now, an animation
    /// stops and the view shows its first frame; where it no longer is, the animation plays. Does nothing without an
    /// animation.
    ///
    /// - Parameter isolation: the isolation of the view, which must be the caller's.
    public func motionPreferenceChanged(isolation: isolated (any Actor)? = #isolation) async {
        runner.state.withLock { $0.binding.calls.appendMotionUpdate() }
        await runner.makeCalls()
    }

    /// Sets the priority that the current load has while the view is on screen.
    public func setPriority(_ priority: LoadPriority) {
        let (action, token) = runner.change { $0.binding.setPriority(priority) }
        runner.execute(action, token, nil)
    }
}
