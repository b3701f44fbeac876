#if canImport(UIKit) && !os(watchOS)
    internal import CoreGraphics
    internal import ImageCore
    internal import UIKit

    /// A subview that covers a view: shows placeholder colours and the signs of a load, and learns from UIKit when the
    /// view enters or leaves a window and when its size changes.
    final class UIKitOverlay: UIView {
        var onVisibilityChange: ((Bool) -> Void)?
        var onSizeChange: (() -> Void)?
        private var hasBeenInWindow = false
        private var hasLaidOut = false
        private var sign: UIView?

        /// Returns the overlay of a view, which is added to the view at the first call.
        static func of(_ view: UIView) -> UIKitOverlay {
            for case let overlay as UIKitOverlay in view.subviews { return overlay }
            let overlay = UIKitOverlay(frame: view.bounds)
            overlay.autoresizingMask = [.flexibleWidth, .flexibleHeight]
            overlay.isUserInteractionEnabled = false
            view.addSubview(overlay)
            return overlay
        }

        override func didMoveToWindow() {
            super.didMoveToWindow()
            hasBeenInWindow = hasBeenInWindow || window != nil
            // A cell gets its image before it is added to its list, and its load should not wait.
            onVisibilityChange?(window != nil || !hasBeenInWindow)
        }

        override func layoutSubviews() {
            super.layoutSubviews()
            hasLaidOut = true
            onSizeChange?()
        }

        /// The size of an image that the view below scales to its bounds. A view that has no size after layout takes
        /// that of its image.
        func imageSize(_ mode: ImageContentMode) -> ViewImageSize {
            guard !bounds.isEmpty else { return hasLaidOut ? .unlimited : .pending }
            return .box(bounds.size.pixels(calotypeScale), mode)
        }

        func show(_ indicator: LoadIndicator?) {
            if case .progress(let fraction)? = indicator, let bar = sign as? UIProgressView {
                return bar.setProgress(Float(fraction), animated: true)
            }
            sign?.removeFromSuperview()
            sign = indicator.map(UIKitOverlay.makeSign)
            guard let sign else { return }
            if let bar = sign as? UIProgressView {
                bar.frame = CGRect(x: 0, y: bounds.height - bar.frame.height, width: bounds.width, height: bar.frame.height)
                bar.autoresizingMask = [.flexibleWidth, .flexibleTopMargin]
            } else {
                sign.center = CGPoint(x: bounds.midX, y: bounds.midY)
                sign.autoresizingMask = [
                    .flexibleTopMargin, .flexibleBottomMargin, .flexibleLeftMargin, .flexibleRightMargin,
                ]
            }
            addSubview(sign)
        }

        private static func makeSign(_ indicator: LoadIndicator) -> UIView {
            switch indicator {
            case .spinner:
                let spinner = UIActivityIndicatorView(style: .medium)
                spinner.startAnimating()
                return spinner
            case .progress(let fraction):
                let bar = UIProgressView(progressViewStyle: .default)
                bar.setProgress(Float(fraction), animated: false)
                return bar
            case .failure:
                let sign = UIImageView(image: UIImage(systemName: "exclamationmark.triangle"))
                sign.tintColor = .systemGray
                return sign
            }
        }
    }
#endif
