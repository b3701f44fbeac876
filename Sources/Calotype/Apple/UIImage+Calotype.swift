#if canImport(UIKit)
    public import ImageCore
    public import UIKit

    extension UIImage {
        /// Makes an image that shares the memory of a decoded image. `nil` if Core Graphics does not support its pixel
        /// format.
        ///
        /// - Parameters:
        ///   - image: the decoded image.
        ///   - scale: the pixels per point; 1.
        public convenience init?(calotype image: DecodedImage, scale: CGFloat = 1) {
            guard let cgImage = image.bitmap.makeCGImage() else { return nil }
            self.init(cgImage: cgImage, scale: scale, orientation: .up)
        }
    }
#endif
