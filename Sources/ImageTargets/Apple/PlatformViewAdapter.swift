#if canImport(UIKit) || canImport(AppKit) || canImport(WatchKit)
    public import ImageCore

    /// What an adapter needs of a view of UIKit or AppKit; the rest is the same for all of them.
    @MainActor public protocol PlatformImageView: AnyObject {
        /// Shows a picture, or nothing.
        func calotypeShow(_ image: DecodedImage?, fade: Duration?)
        func calotypeShowColor(red: Double, green: Double, blue: Double, alpha: Double)
        func calotypeSetAccessibilityLabel(_ label: String?)
        var calotypePrefersReducedMotion: Bool { get }
    }

    /// Passes what a target tells on to a view, which it does not keep.
    @MainActor public final class PlatformViewAdapter: MainActorImageView {
        private weak var view: (any PlatformImageView)?

        /// - Parameter view: held weakly.
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
