#if canImport(UIKit) && !os(watchOS)
    public import ImageCore
    public import UIKit

    extension UIImageView: PlatformImageView {
        /// Loads images into this view.
        public var calotype: CalotypeView<UIImageView> { CalotypeView(self) }

        public func calotypeShow(_ image: UIImage?, fade: Duration?) { calotypeCrossDissolve(fade) { self.image = image } }

        /// The bounds in pixels, for the content modes that scale the image.
        public var calotypeImageSize: ViewImageSize {
            switch contentMode {
            case .scaleAspectFit: UIKitOverlay.of(self).imageSize(.fit)
            case .scaleAspectFill: UIKitOverlay.of(self).imageSize(.fill)
            case .scaleToFill, .redraw: UIKitOverlay.of(self).imageSize(.exact)
            default: .unlimited
            }
        }
    }

    extension UIButton: PlatformImageView {
        /// Loads images into this button, for its normal state.
        public var calotype: CalotypeView<UIButton> { CalotypeView(self) }

        public func calotypeShow(_ image: UIImage?, fade: Duration?) {
            calotypeCrossDissolve(fade) { self.setImage(image, for: .normal) }
        }

        /// Returns the image in its own colours: a system button would show it as a silhouette in the tint colour.
        public func calotypeImage(_ image: DecodedImage) -> UIImage? {
            UIImage(calotype: image, scale: calotypeScale)?.withRenderingMode(.alwaysOriginal)
        }
    }

    extension PlatformImageView where Self: UIView {
        public func calotypeImage(_ image: DecodedImage) -> UIImage? { UIImage(calotype: image, scale: calotypeScale) }

        public func calotypeShowColor(_ color: PlaceholderColor?) {
            UIKitOverlay.of(self).backgroundColor = color.map {
                UIColor(red: $0.red, green: $0.green, blue: $0.blue, alpha: $0.alpha)
            }
        }

        public func calotypeShowIndicator(_ indicator: LoadIndicator?) { UIKitOverlay.of(self).show(indicator) }

        public var calotypeAccessibility: ViewAccessibility {
            get { ViewAccessibility(label: accessibilityLabel, isElement: isAccessibilityElement) }
            set { (accessibilityLabel, isAccessibilityElement) = (newValue.label, newValue.isElement) }
        }

        public var calotypePrefersReducedMotion: Bool { UIAccessibility.isReduceMotionEnabled }

        public func calotypeObserve(visibility: @escaping (Bool) -> Void, size: @escaping () -> Void) {
            let overlay = UIKitOverlay.of(self)
            (overlay.onVisibilityChange, overlay.onSizeChange) = (visibility, size)
        }
    }

    extension UIView {
        /// The pixels per point of the view's screen.
        var calotypeScale: CGFloat { max(1, traitCollection.displayScale) }

        /// Changes what the view shows, with a cross-dissolve of the given duration; at once for `nil`.
        fileprivate func calotypeCrossDissolve(_ fade: Duration?, _ change: @escaping () -> Void) {
            guard let fade else { return change() }
            UIView.transition(
                with: self, duration: fade / .seconds(1), options: [.transitionCrossDissolve, .allowUserInteraction],
                animations: change)
        }
    }
#endif
