import ImageCore
import ImageKernels

/// Leaves a few levels of each colour.
public struct Posterize: Processing {
    /// How many levels remain, from 2 to 256.
    public let levels: Int

    public init(levels: Int) { self.levels = levels }

    public var identifier: String { "example.posterize(\(levels))" }

    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        guard (2...256).contains(levels) else {
            throw ImageError(.invalidRequest, message: "Posterize needs from 2 to 256 levels, not \(levels).")
        }
        let nearest = (0...255).map { UInt8(($0 * (levels - 1) + 127) / 255 * 255 / (levels - 1)) }
        let source = try image.bitmap.convertedToRGBA8().premultiplied()
        let result = try Bitmap(size: source.size, format: .rgba8, alpha: source.alpha, colorSpace: source.colorSpace) {
            pixels, bytesPerRow in
            try source.withUnsafePixels { old in
                for y in 0..<source.height {
                    if y % 16 == 0 { try context.checkCancellation() }
                    for x in stride(from: y * bytesPerRow, to: y * bytesPerRow + source.width * 4, by: 4) {
                        for channel in x..<x + 3 { pixels[channel] = min(nearest[Int(old[channel])], old[x + 3]) }
                        pixels[x + 3] = old[x + 3]
                    }
                }
            }
        }
        return image.with(result)
    }
}

extension Processing where Self == Posterize {
    public static func posterize(levels: Int) -> Posterize { Posterize(levels: levels) }
}
