#if canImport(ImageIO)
    internal import CoreGraphics
    internal import Foundation
    internal import ImageCore

    extension Bitmap {
        /// The pixels of an image of Core Graphics, drawn once into memory of this framework's own: sRGB, or the image's own
        /// space where the options keep it.
        init(_ image: CGImage, options: DecodeOptions) throws {
            let isOpaque =
                switch image.alphaInfo {
                case .none, .noneSkipFirst, .noneSkipLast: true
                default: false
                }
            let own = image.colorSpace.flatMap { space in
                space.model == .rgb ? space.copyICCData().map { (space, ColorSpace.icc($0 as Data)) } : nil
            }
            let kept = options.convertsToSRGB ? nil : own
            guard let space = kept?.0 ?? CGColorSpace(name: CGColorSpace.sRGB) else {
                throw ImageError(.unsupportedFeature, message: "Core Graphics has no sRGB colour space.")
            }
            let size = PixelSize(width: image.width, height: image.height)
            let drawn = try unsafe Bitmap(
                size: size, format: .rgba8, alpha: isOpaque ? .opaque : .premultiplied, colorSpace: kept?.1 ?? .sRGB
            ) { pixels, bytesPerRow in
                // Opaque images too: drawn over nothing, their alpha comes out as 255.
                let context = unsafe CGContext(
                    data: pixels.baseAddress, width: size.width, height: size.height, bitsPerComponent: 8,
                    bytesPerRow: bytesPerRow, space: space, bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
                guard let context else {
                    throw ImageError(.tooLarge, message: "Core Graphics cannot draw an image of \(size) pixels.")
                }
                context.setBlendMode(.copy)
                context.draw(image, in: CGRect(x: 0, y: 0, width: size.width, height: size.height))
            }
            self = options.alpha == .straight && !isOpaque ? try drawn.divided() : drawn
        }

        /// The same image with colours that are not multiplied by alpha.
        private func divided() throws -> Bitmap {
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
