#if canImport(UIKit) || canImport(AppKit) || canImport(WatchKit)
    public import ImageCore

    /// A view of UIKit, AppKit or WatchKit that can show an image.
    ///
    /// Conform another view to it to show images through ``PlatformViewAdapter``.
    @MainActor public protocol PlatformImageView: AnyObject {
        /// Shows an image, or nothing for `nil`.
        ///
        /// - Parameters:
        ///   - image: the image to show.
        ///   - fade: the duration of the fade; `nil` to show the image at once.
        func calotypeShow(_ image: DecodedImage?, fade: Duration?)
        /// Shows a colour as the placeholder. The components are straight (not premultiplied), 0 to 1.
        func calotypeShowColor(red: Double, green: Double, blue: Double, alpha: Double)
        /// Sets the label for screen readers; `nil` removes it.
        func calotypeSetAccessibilityLabel(_ label: String?)
        /// Whether the user prefers reduced motion.
        var calotypePrefersReducedMotion: Bool { get }
    }

    /// Passes the calls of a target to a view, to which it keeps a weak reference.
    @MainActor public final class PlatformViewAdapter: MainActorImageView {
        private weak var view: (any PlatformImageView)?

        /// Makes an adapter for a view.
        ///
        /// - Parameter view: the view that shows the images. The adapter keeps a weak reference.
        public init(showing view: any PlatformImageView) { self.view = view }

        public func setImage(_ image: DecodedImage, transition: Transition) {
            if case .fade(let time) = transition {
                view?.calotypeShow(image, fade: time)
            } else {
                view?.calotypeShow(image, fade: nil)
            }
        }

        public func clear() { view?.calotypeShow(nil, fade: nil) }

        public func setPlaceholder(_ placeholder: Placeholder) {
            switch placeholder {
            case .none, .hash: clear()
            case .image(let image): view?.calotypeShow(image, fade: nil)
            case .color(let red, let green, let blue, let alpha):
                view?.calotypeShowColor(red: red, green: green, blue: blue, alpha: alpha)
            }
        }

        public func setAccessibilityLabel(_ label: String?) { view?.calotypeSetAccessibilityLabel(label) }
        public func prefersReducedMotion() -> Bool { view?.calotypePrefersReducedMotion ?? true }
    }
#endif
