#if canImport(ImageIO)
    internal import CoreGraphics
    internal import Foundation
    internal import ImageCore

    extension Bitmap {
        /// Draws an image of Core Graphics into a new bitmap, in sRGB or, if the options keep it, in the image's colour space.
        init(_ image: CGImage, options: DecodeOptions) throws {
            let isOpaque =
                switch image.alphaInfo {
                case .none, .noneSkipFirst, .noneSkipLast: true
                default: false
                }
            let source = image.colorSpace.flatMap { space in
                space.model == .rgb ? space.copyICCData().map { (space, ColorSpace.icc($0 as Data)) } : nil
            }
            let kept = options.convertsToSRGB ? nil : source
            guard let space = kept?.0 ?? CGColorSpace(name: CGColorSpace.sRGB) else {
                throw ImageError(
                    .unsupportedFeature, message: "Core Graphics does not have an sRGB colour space, which the image needs.")
            }
            let size = PixelSize(width: image.width, height: image.height)
            let drawn = try unsafe Bitmap(
                size: size, format: .rgba8, alpha: isOpaque ? .opaque : .premultiplied, colorSpace: kept?.1 ?? .sRGB
            ) { pixels, bytesPerRow in
                // Core Graphics has no opaque RGBA context. An opaque image gets an alpha of 255 everywhere.
                let context = unsafe CGContext(
                    data: pixels.baseAddress, width: size.width, height: size.height, bitsPerComponent: 8,
                    bytesPerRow: bytesPerRow, space: space, bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
                guard let context else {
                    throw ImageError(
                        .tooLarge,
                        message: "Core Graphics could not allocate an image of \(size) pixels. Set a smaller target size.")
                }
                context.setBlendMode(.copy)
                context.draw(image, in: CGRect(x: 0, y: 0, width: size.width, height: size.height))
            }
            self = options.alpha == .straight && !isOpaque ? try drawn.unpremultiplied() : drawn
        }

        /// Returns the image with straight (not premultiplied) alpha.
        private func unpremultiplied() throws -> Bitmap {
            try unsafe Bitmap(size: size, format: .rgba8, alpha: .straight, colorSpace: colorSpace) { pixels, row in
                unsafe withUnsafePixels { source in
                    for start in stride(from: 0, to: row * height, by: 4) {
                        let alpha = unsafe Int(source[start + 3])
                        for index in 0..<3 where alpha > 0 {
                            unsafe pixels[start + index] = UInt8(min(255, (Int(source[start + index]) * 255 + alpha / 2) / alpha))
                        }
                        unsafe pixels[start + 3] = UInt8(alpha)
                    }
                }
            }
        }
    }
#endif
