#if canImport(UIKit)
    public import ImageCore
    public import UIKit

    extension UIImage {
        /// Makes an image that shares the memory of a decoded image. `nil` if Core Graphics does not support its pixel format.
        public convenience init?(calotype image: DecodedImage) {
            guard let cgImage = image.bitmap.makeCGImage() else { return nil }
            self.init(cgImage: cgImage)
        }
    }
#endif
