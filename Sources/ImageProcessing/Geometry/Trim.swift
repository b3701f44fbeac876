public import ImageCore
internal import ImageKernels

/// Removes uniform borders: rows and columns at the edges whose pixels all have the colour of the top left pixel.
public struct Trim: Processing, Hashable {
    /// The largest difference of a sample from the colour of the border, from 0 to 1 of the full level.
    public let tolerance: Double

    /// Creates the processor.
    public init(tolerance: Double) { self.tolerance = tolerance }

    public var needsWholeImage: Bool { true }

    public var identifier: String { "calotype.trim(\(tolerance.text))" }

    /// Returns an image that consists of border only unchanged.
    ///
    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) for a tolerance that is not from 0 to 1.
    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        try require("trim", "tolerance", tolerance, in: 0...1)
        let bitmap = try image.bitmap.premultiplied()
        let border = BorderFinder(bitmap: bitmap, tolerance: Int((tolerance * Double(bitmap.fullLevel)).rounded()))
        guard let (x, y, width, height) = try border.content(cancellation: context.cancellation) else { return image }
        return image.with(try image.bitmap.cropped(x: x, y: y, width: width, height: height))
    }
}

/// Finds the smallest rectangle that contains all pixels that differ from the top left one.
private struct BorderFinder {
    let bitmap: Bitmap
    let tolerance: Int

    func content(cancellation: CancellationToken?) throws -> (Int, Int, Int, Int)? {
        try unsafe bitmap.withUnsafePixels { pixels throws -> (Int, Int, Int, Int)? in
            var (left, right, top, bottom) = (bitmap.width, -1, -1, -1)
            for y in 0..<bitmap.height {
                if y & 15 == 0 { try cancellation?.check() }
                // Between the columns that are already known, only whether the row has content matters.
                var first = 0
                while first < bitmap.width, unsafe !differs(pixels, y, first) { first += 1 }
                guard first < bitmap.width else { continue }
                if top < 0 { top = y }
                bottom = y
                left = min(left, first)
                var last = bitmap.width - 1
                while last > right, unsafe !differs(pixels, y, last) { last -= 1 }
                right = max(right, last)
            }
            return top < 0 ? nil : (left, top, right - left + 1, bottom - top + 1)
        }
    }

    private func differs(_ pixels: UnsafeRawBufferPointer, _ y: Int, _ x: Int) -> Bool {
        let (channels, size) = (bitmap.format.channels, bitmap.format.bytesPerPixel)
        let at = y * bitmap.bytesPerRow + x * size
        for channel in 0..<channels {
            let difference =
                size > channels
                ? unsafe Int(pixels.load(fromByteOffset: at + channel * 2, as: UInt16.self))
                    - Int(pixels.load(fromByteOffset: channel * 2, as: UInt16.self))
                : unsafe Int(pixels[at + channel]) - Int(pixels[channel])
            if abs(difference) > tolerance { return true }
        }
        return false
    }
}

extension Processing where Self == Trim {
    /// Removes uniform borders. Samples may differ by `tolerance` of the full level.
    public static func trim(tolerance: Double = 0.04) -> Trim { Trim(tolerance: tolerance) }
}
