#if canImport(UIKit)
    public import ImageCore
    public import UIKit

    extension UIImage {
        /// Over the picture's own memory; `nil` where Core Graphics refuses its form.
        public convenience init?(calotype image: DecodedImage) {
            guard let picture = image.bitmap.makeCGImage() else { return nil }
            self.init(cgImage: picture)
        }
    }
#endif
