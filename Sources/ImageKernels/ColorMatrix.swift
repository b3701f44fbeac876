internal import CCalotypeKernels
public import ImageCore

/// A linear map of colours: each of red, green and blue of the result is a sum of the three of the source and a
/// constant. Works on the stored (gamma-encoded) levels, straight, from 0 to 1; results are clamped to that range.
/// Alpha does not change.
public struct ColorMatrix: Hashable, Sendable {
    /// For the result's red, green and blue: the weights of the source's red, green and blue, and the constant.
    public var rows: [[Double]]

    /// Creates a map from three rows of four numbers. Missing numbers count as 0.
    public init(rows: [[Double]]) {
        self.rows = (0..<3).map { row in (0..<4).map { row < rows.count && $0 < rows[row].count ? rows[row][$0] : 0 } }
    }

    /// The map that changes nothing.
    public static let identity = ColorMatrix(rows: [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]])

    /// The map of a grey level, if the matrix maps grey to grey.
    var gray: (scale: Double, offset: Double)? {
        let sums = rows.map { $0[0] + $0[1] + $0[2] }
        let isGray = rows.indices.allSatisfy { abs(sums[$0] - sums[0]) < 1e-9 && abs(rows[$0][3] - rows[0][3]) < 1e-9 }
        return isGray ? (sums[0], rows[0][3]) : nil
    }

    /// The columns for premultiplied pixels, where the constant is multiplied by alpha.
    var columns: [Float] {
        (0..<4).flatMap { column in rows.map { Float($0[column]) } + [column == 3 ? 1 : 0] }
    }
}

extension Bitmap {
    /// Returns the image with its colours mapped. A grey image keeps one channel if the matrix maps grey to grey.
    ///
    /// - Parameters:
    ///   - matrix: the matrix that maps straight colours, from 0 to 1.
    ///   - threads: how many threads to use; 1.
    ///   - cancellation: checked between blocks of rows.
    /// - Throws: ``ImageError`` (`invalidRequest`) for a number that is not finite; (`tooLarge`) if there is not enough
    ///   memory; `CancellationError`.
    public func applying(_ matrix: ColorMatrix, threads: Int = 1, cancellation: CancellationToken? = nil) throws -> Bitmap {
        guard matrix.rows.joined().allSatisfy(\.isFinite) else {
            throw ImageError(.invalidRequest, message: "A colour matrix needs finite numbers.")
        }
        if format.channels == 1, let (scale, offset) = matrix.gray {
            return try mappingLevels(threads: threads, cancellation: cancellation) { $0 * scale + offset }
        }
        let source = try withColorChannels()
        let (columns, path) = (matrix.columns, KernelPath.current)
        return try unsafe source.editingRows(threads: threads, cancellation: cancellation) { _, row in
            unsafe clt_color_matrix(path.level, row.isWide, row.base, width, columns)
        }
    }

    /// Returns the image with a curve applied to each straight colour sample, from 0 to 1. Alpha does not change.
    ///
    /// - Parameters:
    ///   - threads: how many threads to use; 1.
    ///   - cancellation: checked between blocks of rows.
    ///   - curve: called once per level; results are clamped to 0 to 1, and NaN becomes 0.
    /// - Throws: ``ImageError`` (`tooLarge`) if there is not enough memory; `CancellationError`.
    public func mappingLevels(
        threads: Int = 1, cancellation: CancellationToken? = nil, _ curve: (Double) throws -> Double
    ) throws -> Bitmap {
        let most = fullLevel
        let table = try (0...most).map { level -> UInt16 in
            let value = try curve(Double(level) / Double(most))
            return value > 0 ? UInt16((min(1, value) * Double(most)).rounded()) : 0
        }
        let path = KernelPath.current
        let divides = alpha == .premultiplied
        return try unsafe editingRows(threads: threads, cancellation: cancellation) { _, row in
            if divides { unsafe PixelKernels.unpremultiply(row, width, path) }
            unsafe table.withUnsafeBufferPointer { table in
                // A loop for each depth takes half the time of one for both.
                if unsafe row.isWide {
                    unsafe map(row.base.assumingMemoryBound(to: UInt16.self), table)
                } else {
                    unsafe map(row.base.assumingMemoryBound(to: UInt8.self), table)
                }
            }
            if divides { unsafe PixelKernels.premultiply(row, width, path) }
        }
    }

    private func map<Sample: FixedWidthInteger>(
        _ samples: UnsafeMutablePointer<Sample>, _ table: UnsafeBufferPointer<UInt16>
    ) {
        // The last of four channels, alpha, is not changed.
        let (channels, colors) = (format.channels, min(3, format.channels))
        for pixel in stride(from: 0, to: width * channels, by: channels) {
            for i in pixel..<pixel + colors { unsafe samples[i] = Sample(truncatingIfNeeded: table[Int(samples[i])]) }
        }
    }
}
