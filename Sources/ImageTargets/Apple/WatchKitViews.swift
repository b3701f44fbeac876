#if canImport(WatchKit) && !os(iOS)
    public import ImageCore
    internal import UIKit
    public import WatchKit

    extension WKInterfaceImage: PlatformImageView {
        /// Loads images into this interface object.
        public var calotype: CalotypeView<WKInterfaceImage> { CalotypeView(self) }

        /// Shows the image without a transition: interface objects have none.
        public func calotypeShow(_ image: DecodedImage?, fade: Duration?) { setImage(image.flatMap { UIImage(calotype: $0) }) }
        public func calotypeShowColor(red: Double, green: Double, blue: Double, alpha: Double) { setImage(nil) }
        public func calotypeSetAccessibilityLabel(_ label: String?) { setAccessibilityLabel(label) }
        /// Loads images into this interface object.
        public var calotypePrefersReducedMotion: Bool { WKAccessibilityIsReduceMotionEnabled() }
    }
#endif
