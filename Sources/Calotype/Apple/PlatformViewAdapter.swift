#if canImport(UIKit) || canImport(AppKit) || canImport(WatchKit)
    public import ImageCore

    /// Passes the calls of a target to a view, to which it keeps a weak reference.
    ///
    /// What the app has set is left alone: a label and a background colour are replaced only while a request brings its
    /// own.
    @MainActor public final class PlatformViewAdapter: MainActorImageView {
        private weak var view: (any PlatformImageView)?
        /// Shows the placeholder of the app, an image of its framework; at once in place of another one.
        var placeholder: (@MainActor () -> Void)? { didSet { if isBlank { showBlank() } } }
        /// Whether the view shows nothing, or the placeholder of the app.
        private var isBlank = false
        /// Called with the progress of the load.
        var onProgress: (@MainActor (LoadProgress) -> Void)?
        /// Called when a loop of the animation has ended.
        var onAnimationLoop: (@MainActor (AnimationPlaybackState) -> Void)?
        /// Which signs of the load to show.
        var indicators: LoadIndicators = []
        private var indicator: LoadIndicator?
        private var color: PlaceholderColor?
        /// Whether the result of the load is an image.
        private var hasResult = false
        /// What the app had set before a request brought its own label.
        private var accessibility: ViewAccessibility?

        /// Makes an adapter for a view.
        ///
        /// - Parameter view: the view that shows the images. The adapter keeps a weak reference.
        public init(showing view: any PlatformImageView) { self.view = view }

        public func setImage(_ image: DecodedImage, transition: ImageTransition) {
            if indicator == .failure { show(nil as LoadIndicator?) }
            hasResult = true
            isBlank = false
            if case .fade(let time) = transition { show(image, fade: time) } else { show(image, fade: nil) }
        }

        public func clear() {
            show(nil as LoadIndicator?)
            isBlank = true
            showBlank()
        }

        private func showBlank() {
            if let placeholder {
                show(nil as PlaceholderColor?)
                placeholder()
            } else {
                show(nil, fade: nil)
            }
        }

        public func setPlaceholder(_ placeholder: Placeholder) {
            show(nil as LoadIndicator?)
            isBlank = false
            switch placeholder {
            case .none, .hash: clear()
            case .image(let image): show(image, fade: nil)
            case .color(let red, let green, let blue, let alpha):
                show(nil, fade: nil)
                show(PlaceholderColor(red: red, green: green, blue: blue, alpha: alpha))
            }
        }

        public func setLoading(_ isLoading: Bool) {
            hasResult = false
            show(isLoading && indicators.contains(.spinner) ? LoadIndicator.spinner : nil)
        }

        public func setProgress(_ progress: LoadProgress) {
            if indicators.contains(.progress), let fraction = progress.fraction { show(LoadIndicator.progress(fraction)) }
            onProgress?(progress)
        }

        public func animationLoopEnded(_ state: AnimationPlaybackState) { onAnimationLoop?(state) }

        public func setFailure(_ error: ImageError) {
            if indicators.contains(.failure), !hasResult { show(LoadIndicator.failure) }
        }

        public func setAccessibilityLabel(_ label: String?) {
            if let label {
                accessibility = accessibility ?? view?.calotypeAccessibility
                view?.calotypeAccessibility = ViewAccessibility(label: label, isElement: true)
            } else if let old = accessibility {
                view?.calotypeAccessibility = old
                accessibility = nil
            }
        }

        public func prefersReducedMotion() -> Bool { view?.calotypePrefersReducedMotion ?? true }

        public func imageSize() -> ViewImageSize { view?.calotypeImageSize ?? .unlimited }

        private func show(_ image: DecodedImage?, fade: Duration?) {
            guard let view else { return }
            show(image, on: view, fade: fade)
        }

        private func show<V: PlatformImageView>(_ image: DecodedImage?, on view: V, fade: Duration?) {
            view.calotypeShow(image.flatMap(view.calotypeImage), fade: fade)
            show(nil as PlaceholderColor?)
        }

        private func show(_ color: PlaceholderColor?) {
            guard color != self.color else { return }
            self.color = color
            view?.calotypeShowColor(color)
        }

        private func show(_ indicator: LoadIndicator?) {
            guard indicator != self.indicator else { return }
            self.indicator = indicator
            view?.calotypeShowIndicator(indicator)
        }
    }
#endif
