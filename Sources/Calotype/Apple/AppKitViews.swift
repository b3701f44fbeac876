#if canImport(AppKit) && !targetEnvironment(macCatalyst)
    public import AppKit
    public import ImageCore
    internal import QuartzCore

    extension NSImageView: PlatformImageView {
        /// Loads images into this view.
        public var calotype: CalotypeView<NSImageView> { CalotypeView(self) }

        public func calotypeShow(_ image: NSImage?, fade: Duration?) { calotypeCrossDissolve(fade) { self.image = image } }

        /// The bounds in pixels, if the view scales its image.
        public var calotypeImageSize: ViewImageSize {
            switch imageScaling {
            case .scaleProportionallyDown, .scaleProportionallyUpOrDown: AppKitOverlay.of(self).imageSize(.fit)
            case .scaleAxesIndependently: AppKitOverlay.of(self).imageSize(.exact)
            default: .unlimited
            }
        }
    }

    extension NSButton: PlatformImageView {
        /// Loads images into this button.
        public var calotype: CalotypeView<NSButton> { CalotypeView(self) }

        public func calotypeShow(_ image: NSImage?, fade: Duration?) { calotypeCrossDissolve(fade) { self.image = image } }
    }

    extension PlatformImageView where Self: NSView {
        public func calotypeImage(_ image: DecodedImage) -> NSImage? { NSImage(calotype: image, scale: calotypeScale) }

        public func calotypeShowColor(_ color: PlaceholderColor?) { AppKitOverlay.of(self).show(color) }

        public func calotypeShowIndicator(_ indicator: LoadIndicator?) { AppKitOverlay.of(self).show(indicator) }

        public var calotypeAccessibility: ViewAccessibility {
            get { ViewAccessibility(label: accessibilityLabel(), isElement: isAccessibilityElement()) }
            set {
                setAccessibilityLabel(newValue.label)
                setAccessibilityElement(newValue.isElement)
            }
        }

        public var calotypePrefersReducedMotion: Bool { NSWorkspace.shared.accessibilityDisplayShouldReduceMotion }

        public func calotypeObserve(visibility: @escaping (Bool) -> Void, size: @escaping () -> Void) {
            let overlay = AppKitOverlay.of(self)
            (overlay.onVisibilityChange, overlay.onSizeChange) = (visibility, size)
        }
    }

    extension NSView {
        /// The pixels per point of the view's screen.
        var calotypeScale: CGFloat { max(1, window?.backingScaleFactor ?? NSScreen.main?.backingScaleFactor ?? 1) }

        /// Changes what the view shows, with a cross-dissolve of the given duration; at once for `nil`. The transition
        /// of the layer dissolves the old contents into the new, and leaves `alphaValue` to the app.
        fileprivate func calotypeCrossDissolve(_ fade: Duration?, _ change: () -> Void) {
            if let fade {
                wantsLayer = true
                let transition = CATransition()
                transition.type = .fade
                transition.duration = fade / .seconds(1)
                layer?.add(transition, forKey: "calotype")
            }
            change()
        }
    }

    extension NSImage {
        /// Makes an image that shares the memory of a decoded image. `nil` if Core Graphics does not support its pixel
        /// format.
        ///
        /// - Parameters:
        ///   - image: the decoded image.
        ///   - scale: the pixels per point; 1.
        public convenience init?(calotype image: DecodedImage, scale: CGFloat = 1) {
            guard let cgImage = image.bitmap.makeCGImage() else { return nil }
            let size = NSSize(width: CGFloat(cgImage.width) / scale, height: CGFloat(cgImage.height) / scale)
            self.init(cgImage: cgImage, size: size)
        }
    }
#endif
