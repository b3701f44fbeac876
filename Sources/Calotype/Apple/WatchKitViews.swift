#if canImport(WatchKit) && !os(iOS)
    public import ImageCore
    public import UIKit
    public import WatchKit

    /// Interface objects have no transitions, no views for the signs of a load, and do not tell whether they are on
    /// screen.
    extension WKInterfaceImage: PlatformImageView {
        /// Loads images into this interface object.
        public var calotype: CalotypeView<WKInterfaceImage> { CalotypeView(self) }

        public func calotypeImage(_ image: DecodedImage) -> UIImage? {
            UIImage(calotype: image, scale: WKInterfaceDevice.current().screenScale)
        }

        public func calotypeShow(_ image: UIImage?, fade: Duration?) { setImage(image) }

        /// Shows the colour as an image of one pixel, which the interface object stretches.
        public func calotypeShowColor(_ color: PlaceholderColor?) {
            guard let color else { return }
            let bytes = [color.red, color.green, color.blue, color.alpha].map { UInt8(max(0, min(1, $0)) * 255 + 0.5) }
            let pixel = try? unsafe Bitmap(size: PixelSize(1), format: .rgba8, alpha: .straight) { pixels, _ in
                unsafe pixels.copyBytes(from: bytes)
            }
            setImage(pixel.flatMap { UIImage(calotype: DecodedImage($0)) })
        }

        public func calotypeShowIndicator(_ indicator: LoadIndicator?) {}

        /// WatchKit does not tell the label, so a request without one removes what an earlier request has set.
        public var calotypeAccessibility: ViewAccessibility {
            get { ViewAccessibility(label: nil, isElement: true) }
            set { setAccessibilityLabel(newValue.label) }
        }

        public var calotypePrefersReducedMotion: Bool { WKAccessibilityIsReduceMotionEnabled() }

        public func calotypeObserve(visibility: @escaping (Bool) -> Void, size: @escaping () -> Void) {}
    }
#endif
