#if canImport(UIKit) && !os(watchOS)
    public import ImageCore
    public import UIKit

    extension UIImageView: PlatformImageView {
        public var calo: Calo<UIImageView> { Calo(self) }

        public func calotypeShow(_ image: DecodedImage?, fade: Duration?) {
            backgroundColor = nil
            let shown = image.flatMap { UIImage(calotype: $0) }
            guard let fade else { return self.image = shown }
            UIView.transition(
                with: self, duration: fade / .seconds(1), options: [.transitionCrossDissolve, .allowUserInteraction]
            ) {
                self.image = shown
            }
        }

        public func calotypeShow(red: Double, green: Double, blue: Double, alpha: Double) {
            image = nil
            backgroundColor = UIColor(red: red, green: green, blue: blue, alpha: alpha)
        }

        public func calotypeLabel(_ label: String?) { accessibilityLabel = label }
        public var calotypePrefersReducedMotion: Bool { UIAccessibility.isReduceMotionEnabled }
    }

    extension UIButton: PlatformImageView {
        /// Sets the button's image for its normal state.
        public var calo: Calo<UIButton> { Calo(self) }

        public func calotypeShow(_ image: DecodedImage?, fade: Duration?) {
            let shown = image.flatMap { UIImage(calotype: $0) }
            guard let fade else { return setImage(shown, for: .normal) }
            UIView.transition(
                with: self, duration: fade / .seconds(1), options: [.transitionCrossDissolve, .allowUserInteraction]
            ) {
                self.setImage(shown, for: .normal)
            }
        }

        public func calotypeShow(red: Double, green: Double, blue: Double, alpha: Double) { setImage(nil, for: .normal) }
        public func calotypeLabel(_ label: String?) { accessibilityLabel = label }
        public var calotypePrefersReducedMotion: Bool { UIAccessibility.isReduceMotionEnabled }
    }
#endif
