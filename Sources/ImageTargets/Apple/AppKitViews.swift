#if canImport(AppKit) && !targetEnvironment(macCatalyst)
    public import AppKit
    public import ImageCore

    extension NSImageView: PlatformImageView {
        /// Loads images into this view.
        public var calotype: CalotypeView<NSImageView> { CalotypeView(self) }

        public func calotypeShow(_ image: DecodedImage?, fade: Duration?) {
            self.image = image.flatMap { NSImage(calotype: $0) }
            guard let fade else { return }
            alphaValue = 0
            NSAnimationContext.runAnimationGroup { context in
                context.duration = fade / .seconds(1)
                animator().alphaValue = 1
            }
        }

        public func calotypeShowColor(red: Double, green: Double, blue: Double, alpha: Double) { image = nil }
        public func calotypeSetAccessibilityLabel(_ label: String?) { setAccessibilityLabel(label) }
        /// Loads images into this view.
        public var calotypePrefersReducedMotion: Bool { NSWorkspace.shared.accessibilityDisplayShouldReduceMotion }
    }

    extension NSButton: PlatformImageView {
        /// Loads images into this button.
        public var calotype: CalotypeView<NSButton> { CalotypeView(self) }

        public func calotypeShow(_ image: DecodedImage?, fade: Duration?) { self.image = image.flatMap { NSImage(calotype: $0) } }
        public func calotypeShowColor(red: Double, green: Double, blue: Double, alpha: Double) { image = nil }
        public func calotypeSetAccessibilityLabel(_ label: String?) { setAccessibilityLabel(label) }
        /// Loads images into this view.
        public var calotypePrefersReducedMotion: Bool { NSWorkspace.shared.accessibilityDisplayShouldReduceMotion }
    }

    extension NSImage {
        /// Makes an image that shares the memory of a decoded image. `nil` if Core Graphics does not support its pixel format.
        public convenience init?(calotype image: DecodedImage) {
            guard let cgImage = image.bitmap.makeCGImage() else { return nil }
            self.init(cgImage: cgImage, size: NSSize(width: cgImage.width, height: cgImage.height))
        }
    }
#endif
