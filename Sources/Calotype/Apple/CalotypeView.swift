#if canImport(UIKit) || canImport(AppKit) || canImport(WatchKit)
    public import ImageCore
    public import ImageLoading
    internal import ImageTargets

    /// Loads images into a view: the property `calotype` of image views and buttons.
    ///
    /// For example, `imageView.calotype.setImage(with: url)`. A new request replaces the previous one, and the load is
    /// cancelled when the view is released.
    @MainActor public struct CalotypeView<View: PlatformImageView> {
        /// Receives the result of a request on the main actor; not called if the request is replaced, repeated or
        /// cancelled.
        public typealias Completion = @MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void
        /// Receives the progress of a load on the main actor.
        public typealias Progress = @MainActor @Sendable (LoadProgress) -> Void

        private let view: View

        /// Makes the property `calotype` of a view.
        public init(_ view: View) { self.view = view }

        /// Shows the image at a URL, now or when it is loaded.
        ///
        /// ```swift
        /// imageView.calotype.setImage(with: url, placeholder: UIImage(named: "empty"))
        /// ```
        ///
        /// - Parameters:
        ///   - url: the URL of the image. `nil` cancels the load and shows the failure image of the loader's options,
        ///     or otherwise the placeholder; the completion is then called with ``ImageError/Code/invalidRequest``.
        ///   - placeholder: the image to show until the image is loaded, and if the load fails; `nil`, the default,
        ///     leaves it to the options.
        ///   - size: the box in pixels that the image is scaled down to; `nil`, the default, leaves it to the options.
        ///   - processors: the processors to run on the image, in order; an empty list, the default, leaves them to the
        ///     options.
        ///   - options: overrides of the loader's options; none.
        ///   - loader: loads the image; ``ImageLoader/shared``.
        ///   - completion: called with the result; `nil` by default. It comes before `progress`, so that a single
        ///     closure after the call is the completion.
        ///   - progress: called when more bytes have arrived; `nil` by default.
        public func setImage(
            with url: URL?, placeholder: View.PlatformImage? = nil, size: PixelSize? = nil, processors: [any Processing] = [],
            options: OptionLayer = OptionLayer(), from loader: any ImageProviding = ImageLoader.shared,
            completion: Completion? = nil, progress: Progress? = nil
        ) {
            let request = url.map { ImageRequest(url: $0, size: size, processors: processors, options: options) }
            load(request, placeholder, loader, completion, progress)
        }

        /// Shows the image of a request, now or when it is loaded.
        ///
        /// - Parameters:
        ///   - request: the image to show.
        ///   - placeholder: the image to show until the image is loaded, and if the load fails; `nil`, the default,
        ///     leaves it to the options.
        ///   - loader: loads the image; ``ImageLoader/shared``.
        ///   - completion: called with the result; `nil` by default.
        ///   - progress: called when more bytes have arrived; `nil` by default.
        public func setImage(
            with request: ImageRequest, placeholder: View.PlatformImage? = nil,
            from loader: any ImageProviding = ImageLoader.shared, completion: Completion? = nil, progress: Progress? = nil
        ) {
            load(request, placeholder, loader, completion, progress)
        }

        /// Cancels the load. The view keeps what it shows.
        public func cancel() { ViewBinding.existing(of: view)?.target?.cancel() }

        /// Cancels the load and clears the view. Call it in `prepareForReuse`.
        public func clear() {
            guard let binding = ViewBinding.existing(of: view) else { return }
            binding.adapter.placeholder = nil
            binding.target?.clear()
        }

        /// Reports that the view came on screen or left it; see ``LoadOptions/offScreenPolicy``.
        ///
        /// UIKit and AppKit report by themselves that a view enters or leaves a window, and AppKit that it is hidden.
        /// Report what they do not know, for example that another view covers it.
        public func setVisible(_ isVisible: Bool) { ViewBinding.of(view).isVisibleToApp = isVisible }

        /// Plays the animation from the frame that the view shows, or once more if it is over; see
        /// ``LoadOptions/animationPlays`` and ``LoadOptions/autoplays``.
        public func startAnimation() { ViewBinding.existing(of: view)?.target?.startAnimation() }

        /// Stops the animation at the frame that the view shows.
        public func stopAnimation() { ViewBinding.existing(of: view)?.target?.stopAnimation() }

        /// Which frame of its animation the view shows, and how far it has played; `nil` if it shows no animation.
        public var animationState: AnimationPlaybackState? { ViewBinding.existing(of: view)?.target?.animationState }

        /// Called on the main actor when the last frame of an animation has been shown for its time; `nil` by default.
        public var onAnimationLoop: (@MainActor (AnimationPlaybackState) -> Void)? {
            get { ViewBinding.existing(of: view)?.adapter.onAnimationLoop }
            nonmutating set { ViewBinding.of(view).adapter.onAnimationLoop = newValue }
        }

        /// Which signs of a load the view shows in front of its image; none. Interface objects of WatchKit show none.
        public var indicators: LoadIndicators {
            get { ViewBinding.existing(of: view)?.adapter.indicators ?? [] }
            nonmutating set { ViewBinding.of(view).adapter.indicators = newValue }
        }

        /// The source of the image that the view shows or loads; `nil` without one.
        public var currentSource: ImageSource? { ViewBinding.existing(of: view)?.target?.currentSource }

        /// The URL of the image that the view shows or loads; `nil` without one.
        public var currentURL: URL? { currentSource?.url }

        private func load(
            _ request: ImageRequest?, _ placeholder: View.PlatformImage?, _ loader: any ImageProviding,
            _ completion: Completion?, _ progress: Progress?
        ) {
            let binding = ViewBinding.of(view)
            binding.adapter.onProgress = progress
            binding.adapter.placeholder = nil
            if let placeholder {
                binding.adapter.placeholder = { [weak view] in view?.calotypeShow(placeholder, fade: nil) }
            }
            let target = binding.target(for: loader)
            if let request {
                target.setImage(request, completion: completion)
            } else {
                target.setImage(nil as URL?, completion: completion)
            }
        }
    }
#endif
