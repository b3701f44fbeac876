#if canImport(UIKit) && !os(watchOS)
    public import ImageCore
    public import UIKit

    extension UIImageView: PlatformImageView {
        /// Loads images into this view.
        public var calotype: CalotypeView<UIImageView> { CalotypeView(self) }

        public func calotypeShow(_ image: DecodedImage?, fade: Duration?) {
            let shown = image.flatMap { UIImage(calotype: $0) }
            crossDissolve(fade) { (self.image, self.backgroundColor) = (shown, nil) }
        }

        public func calotypeShowColor(red: Double, green: Double, blue: Double, alpha: Double) {
            image = nil
            backgroundColor = UIColor(red: red, green: green, blue: blue, alpha: alpha)
        }

        public func calotypeSetAccessibilityLabel(_ label: String?) { accessibilityLabel = label }
        public var calotypePrefersReducedMotion: Bool { UIAccessibility.isReduceMotionEnabled }
    }

    extension UIButton: PlatformImageView {
        /// Loads images into this button, for its normal state.
        public var calotype: CalotypeView<UIButton> { CalotypeView(self) }

        public func calotypeShow(_ image: DecodedImage?, fade: Duration?) {
            let shown = image.flatMap { UIImage(calotype: $0) }
            crossDissolve(fade) { self.setImage(shown, for: .normal) }
        }

        public func calotypeShowColor(red: Double, green: Double, blue: Double, alpha: Double) { setImage(nil, for: .normal) }
        public func calotypeSetAccessibilityLabel(_ label: String?) { accessibilityLabel = label }
        public var calotypePrefersReducedMotion: Bool { UIAccessibility.isReduceMotionEnabled }
    }

    extension UIView {
        /// Changes what the view shows, with a cross-dissolve of the given duration; at once for `nil`.
        fileprivate func crossDissolve(_ fade: Duration?, _ change: @escaping () -> Void) {
            guard let fade else { return change() }
            UIView.transition(
                with: self, duration: fade / .seconds(1), options: [.transitionCrossDissolve, .allowUserInteraction],
                animations: change)
        }
    }
#endif
