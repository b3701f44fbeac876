#if canImport(ImageIO)
    internal import CoreGraphics
    internal import Foundation
    internal import ImageCore
    internal import ImageKernels

    extension Bitmap {
        /// Draws an image of Core Graphics into a new bitmap: upright, cropped and scaled, in sRGB or, if the options
        /// keep it, in the image's colour space. Core Graphics decodes an image that was not decoded yet while it draws
        /// it.
        ///
        /// - Parameters:
        ///   - image: the image.
        ///   - orientation: the transform that makes the image upright.
        ///   - geometry: the part of the upright image to draw, and the size of the bitmap.
        ///   - full: the upright size that `geometry` refers to, of which `image` may be a smaller version.
        ///   - isDeep: whether the bitmap has 16 bits per channel.
        init(
            _ image: CGImage, orientation: Orientation, geometry: ResizeGeometry, full: PixelSize, isDeep: Bool,
            options: DecodeOptions
        ) throws {
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
            let size = geometry.output
            let order = isDeep ? CGBitmapInfo.byteOrder16Little.rawValue : 0
            let drawn = try unsafe Bitmap(
                size: size, format: isDeep ? .rgba16 : .rgba8, alpha: isOpaque ? .opaque : .premultiplied,
                colorSpace: kept?.1 ?? .sRGB
            ) { pixels, bytesPerRow in
                // Core Graphics has no opaque RGBA context. An opaque image gets an alpha of 255 everywhere.
                let context = unsafe CGContext(
                    data: pixels.baseAddress, width: size.width, height: size.height, bitsPerComponent: isDeep ? 16 : 8,
                    bytesPerRow: bytesPerRow, space: space, bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue | order)
                guard let context else {
                    throw ImageError(
                        .tooLarge,
                        message: "Core Graphics could not allocate an image of \(size) pixels. Set a smaller target size.")
                }
                context.setBlendMode(.copy)
                context.interpolationQuality = .high
                context.concatenate(geometry.transform(of: full))
                let stored = orientation.swapsSides ? full.transposed : full
                context.concatenate(orientation.transform(to: full))
                context.draw(image, in: CGRect(x: 0, y: 0, width: stored.width, height: stored.height))
            }
            self = options.alpha == .straight && !isOpaque && !isDeep ? try drawn.unpremultiplied() : drawn
        }
    }

    // The coordinates of Core Graphics have their origin at the lower left.
    extension ResizeGeometry {
        /// The transform from the image to the result.
        fileprivate func transform(of full: PixelSize) -> CGAffineTransform {
            let (scaleX, scaleY) = (Double(output.width) / width, Double(output.height) / height)
            let below = Double(full.height) - y - height
            return CGAffineTransform(a: scaleX, b: 0, c: 0, d: scaleY, tx: -x * scaleX, ty: -below * scaleY)
        }
    }

    extension Orientation {
        /// The transform from the stored image to the upright image of the given size.
        fileprivate func transform(to size: PixelSize) -> CGAffineTransform {
            let (width, height) = (CGFloat(size.width), CGFloat(size.height))
            return switch self {
            case .up: CGAffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)
            case .upMirrored: CGAffineTransform(a: -1, b: 0, c: 0, d: 1, tx: width, ty: 0)
            case .down: CGAffineTransform(a: -1, b: 0, c: 0, d: -1, tx: width, ty: height)
            case .downMirrored: CGAffineTransform(a: 1, b: 0, c: 0, d: -1, tx: 0, ty: height)
            case .leftMirrored: CGAffineTransform(a: 0, b: -1, c: -1, d: 0, tx: width, ty: height)
            case .right: CGAffineTransform(a: 0, b: -1, c: 1, d: 0, tx: 0, ty: height)
            case .rightMirrored: CGAffineTransform(a: 0, b: 1, c: 1, d: 0, tx: 0, ty: 0)
            case .left: CGAffineTransform(a: 0, b: 1, c: -1, d: 0, tx: width, ty: 0)
            }
        }
    }
#endif
