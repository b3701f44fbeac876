#if canImport(AppKit) && !targetEnvironment(macCatalyst)
    public import AppKit
    public import ImageCore

    extension NSImageView: PlatformImageView {
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
        public var calotypePrefersReducedMotion: Bool { NSWorkspace.shared.accessibilityDisplayShouldReduceMotion }
    }

    extension NSButton: PlatformImageView {
        public var calotype: CalotypeView<NSButton> { CalotypeView(self) }

        public func calotypeShow(_ image: DecodedImage?, fade: Duration?) { self.image = image.flatMap { NSImage(calotype: $0) } }
        public func calotypeShowColor(red: Double, green: Double, blue: Double, alpha: Double) { image = nil }
        public func calotypeSetAccessibilityLabel(_ label: String?) { setAccessibilityLabel(label) }
        public var calotypePrefersReducedMotion: Bool { NSWorkspace.shared.accessibilityDisplayShouldReduceMotion }
    }

    extension NSImage {
        /// Over the picture's own memory; `nil` where Core Graphics refuses its form.
        public convenience init?(calotype image: DecodedImage) {
            guard let picture = image.bitmap.makeCGImage() else { return nil }
            self.init(cgImage: picture, size: NSSize(width: picture.width, height: picture.height))
        }
    }
#endif
