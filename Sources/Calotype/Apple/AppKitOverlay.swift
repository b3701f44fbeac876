#if canImport(AppKit) && !targetEnvironment(macCatalyst)
    internal import AppKit
    internal import CoreGraphics
    internal import ImageCore
    internal import QuartzCore

    /// A subview that covers a view: shows placeholder colours and the signs of a load, and learns from AppKit when the
    /// view enters or leaves a window, is hidden or covered with its window, and when its size or its screen changes.
    final class AppKitOverlay: NSView {
        var onVisibilityChange: ((Bool) -> Void)?
        var onSizeChange: (() -> Void)?
        private var hasBeenInWindow = false
        private var occlusion: NotificationObserver?
        /// Whether the window is covered, minimised, or hidden with its app. A new window counts as visible until it
        /// tells.
        private var isOccluded = false
        private var hasLaidOut = false
        private var sign: NSView?

        /// Returns the overlay of a view, which is added to the view at the first call.
        static func of(_ view: NSView) -> AppKitOverlay {
            for case let overlay as AppKitOverlay in view.subviews { return overlay }
            let overlay = AppKitOverlay(frame: view.bounds)
            overlay.autoresizingMask = [.width, .height]
            view.addSubview(overlay)
            return overlay
        }

        /// Clicks belong to the view below.
        override func hitTest(_ point: NSPoint) -> NSView? { nil }

        override func viewDidMoveToWindow() {
            super.viewDidMoveToWindow()
            hasBeenInWindow = hasBeenInWindow || window != nil
            isOccluded = false
            occlusion = window.map { window in
                NotificationObserver(NSWindow.didChangeOcclusionStateNotification, from: window) { [weak self, weak window] in
                    guard let self, let window, window === self.window else { return }
                    isOccluded = !window.occlusionState.contains(.visible)
                    reportVisibility()
                }
            }
            reportVisibility()
        }

        override func viewDidHide() {
            super.viewDidHide()
            reportVisibility()
        }

        override func viewDidUnhide() {
            super.viewDidUnhide()
            reportVisibility()
        }

        private func reportVisibility() {
            // A view gets its image before it is added to its list, and its load should not wait.
            onVisibilityChange?((window != nil || !hasBeenInWindow) && !isOccluded && !isHiddenOrHasHiddenAncestor)
        }

        override func setFrameSize(_ newSize: NSSize) {
            super.setFrameSize(newSize)
            onSizeChange?()
        }

        override func layout() {
            super.layout()
            hasLaidOut = true
            onSizeChange?()
        }

        /// The size of an image that the view below scales to its bounds. A view that has no size after layout takes
        /// that of its image.
        func imageSize(_ mode: ImageContentMode) -> ViewImageSize {
            guard !bounds.isEmpty else { return hasLaidOut ? .unlimited : .pending }
            return .box(bounds.size.pixels(calotypeScale), mode)
        }

        override func viewDidChangeBackingProperties() {
            super.viewDidChangeBackingProperties()
            onSizeChange?()
        }

        func show(_ color: PlaceholderColor?) {
            wantsLayer = wantsLayer || color != nil
            layer?.backgroundColor = color.map {
                CGColor(srgbRed: $0.red, green: $0.green, blue: $0.blue, alpha: $0.alpha)
            }
        }

        func show(_ indicator: LoadIndicator?) {
            if case .progress(let fraction)? = indicator, let bar = sign as? NSProgressIndicator, !bar.isIndeterminate {
                return bar.doubleValue = fraction
            }
            sign?.removeFromSuperview()
            sign = indicator.map(makeSign)
            if let sign { addSubview(sign) }
        }

        private func makeSign(_ indicator: LoadIndicator) -> NSView {
            switch indicator {
            case .spinner:
                let spinner = NSProgressIndicator(frame: square)
                (spinner.style, spinner.isIndeterminate, spinner.autoresizingMask) = (.spinning, true, AppKitOverlay.centered)
                spinner.startAnimation(nil)
                return spinner
            case .progress(let fraction):
                let bar = NSProgressIndicator(frame: NSRect(x: 0, y: 0, width: bounds.width, height: 6))
                (bar.style, bar.isIndeterminate, bar.autoresizingMask) = (.bar, false, [.width, .maxYMargin])
                (bar.minValue, bar.maxValue, bar.doubleValue) = (0, 1, fraction)
                return bar
            case .failure:
                let sign = NSImageView(frame: square)
                sign.image = NSImage(systemSymbolName: "exclamationmark.triangle", accessibilityDescription: nil)
                sign.autoresizingMask = AppKitOverlay.centered
                return sign
            }
        }

        private var square: NSRect { NSRect(x: bounds.midX - 8, y: bounds.midY - 8, width: 16, height: 16) }
        private static let centered: NSView.AutoresizingMask = [.minXMargin, .maxXMargin, .minYMargin, .maxYMargin]
    }
#endif
