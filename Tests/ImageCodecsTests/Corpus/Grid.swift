import ImageCore

/// An image that is reduced to cells of mean alpha and mean colour, which is weighted by alpha.
struct Grid {
    /// Red, green, blue (not premultiplied) and alpha, row by row.
    var cells: [[Double]] = []

    /// - Parameter bitmap: Has 8 bits per channel, and is opaque or not premultiplied.
    init(_ bitmap: Bitmap, side: Int = 8) {
        unsafe bitmap.withUnsafePixels { pixels in
            for j in 0..<side {
                let rows = Self.span(j, of: bitmap.height, side)
                for i in 0..<side {
                    unsafe cells.append(Self.mean(pixels, bitmap, columns: Self.span(i, of: bitmap.width, side), rows: rows))
                }
            }
        }
    }

    private static func span(_ i: Int, of n: Int, _ side: Int) -> Range<Int> {
        i * n / side..<max(i * n / side + 1, (i + 1) * n / side)
    }

    /// Plain loops with two sums in one word, because this runs unoptimised over hundreds of megapixels.
    private static func mean(_ pixels: UnsafeRawBufferPointer, _ bitmap: Bitmap, columns: Range<Int>, rows: Range<Int>)
        -> [Double]
    {
        guard let base = pixels.baseAddress else { return [] }
        var (red, green, blue, alpha) = (0.0, 0.0, 0.0, 0.0)
        var y = rows.lowerBound
        while y < rows.upperBound {
            let row = unsafe base + y * bitmap.bytesPerRow
            var x = columns.lowerBound
            if bitmap.format == .gray8 {
                var sum = 0
                while x < columns.upperBound {
                    unsafe sum &+= Int(row.load(fromByteOffset: x, as: UInt8.self))
                    x &+= 1
                }
                red += Double(sum) * 255
                alpha += 255 * Double(columns.count)
            } else if bitmap.alpha == .opaque {
                var (even, odd): (UInt64, UInt64) = (0, 0)
                while x < columns.upperBound {
                    let pixel = unsafe UInt64(row.load(fromByteOffset: x &* 4, as: UInt32.self))
                    even &+= pixel & 0xFF | (pixel & 0xFF0000) &<< 16
                    odd &+= pixel &>> 8 & 0xFF | (pixel & 0xFF00_0000) &<< 8
                    x &+= 1
                }
                red += Double(even & 0xFFFF_FFFF) * 255
                blue += Double(even >> 32) * 255
                green += Double(odd & 0xFFFF_FFFF) * 255
                // The colours of an opaque image do not depend on its alpha, which must be 255 all the same.
                alpha += Double(odd >> 32)
            } else {
                var (r, g, b, a) = (0, 0, 0, 0)
                while x < columns.upperBound {
                    let pixel = unsafe Int(row.load(fromByteOffset: x &* 4, as: UInt32.self))
                    let weight = pixel &>> 24
                    r &+= (pixel & 0xFF) &* weight
                    g &+= (pixel &>> 8 & 0xFF) &* weight
                    b &+= (pixel &>> 16 & 0xFF) &* weight
                    a &+= weight
                    x &+= 1
                }
                (red, green, blue, alpha) = (red + Double(r), green + Double(g), blue + Double(b), alpha + Double(a))
            }
            y += 1
        }
        if bitmap.format == .gray8 { (green, blue) = (red, red) }
        guard alpha > 0 else { return [0, 0, 0, 0] }
        return [red / alpha, green / alpha, blue / alpha, alpha / Double(columns.count * rows.count)]
    }

    /// The largest difference of a cell from a reference of three or four numbers a cell.
    func difference(from reference: [Double]) -> Double {
        let channels = reference.count / cells.count
        guard channels == 3 || channels == 4, reference.count == channels * cells.count else { return 999 }
        var largest = 0.0
        for (i, cell) in cells.enumerated() {
            let expected = Array(reference[(i * channels)..<((i + 1) * channels)])
            let alpha = channels == 4 ? expected[3] : 255
            largest = max(largest, abs(cell[3] - alpha))
            // The colour of nearly transparent cells does not count.
            if min(cell[3], alpha) > 8 {
                for c in 0..<3 { largest = max(largest, abs(cell[c] - expected[c])) }
            }
        }
        return largest
    }
}
