internal import ImageCore
internal import ImageKernels

/// Converts a codec's rows to the form of a bitmap: colours to sRGB, depth to 8 bits, and alpha to the requested mode.
final class RowConverter {
    let source: RowLayout
    let target: PixelFormat
    let hasAlpha: Bool
    private let ignoresAlpha: Bool
    private let transform: (any RowTransform)?
    private let premultiplies: Bool
    /// Whether all pixels so far are opaque.
    private(set) var isOpaque = true

    /// - Parameter ignoresAlpha: whether 8-bit RGBA becomes opaque.
    init(
        source: RowLayout, target: PixelFormat, hasAlpha: Bool, ignoresAlpha: Bool, premultiplies: Bool,
        transform: (any RowTransform)?
    ) {
        (self.source, self.target, self.hasAlpha, self.ignoresAlpha) = (source, target, hasAlpha, ignoresAlpha)
        (self.premultiplies, self.transform) = (premultiplies, transform)
    }

    /// Whether a row can be converted in place.
    var worksInPlace: Bool { source == .pixels(target) }

    /// Converts one row. `row` and `result` may be the same if ``worksInPlace`` is true.
    func convert(_ row: UnsafeRawPointer, to result: UnsafeMutableRawPointer, width: Int) {
        if let transform {
            unsafe transform.convert(row, to: result, width: width)
        } else {
            unsafe copy(row, to: result, width: width)
        }
        if hasAlpha { unsafe finishAlpha(result, width: width) }
        if ignoresAlpha {
            for x in 0..<width { unsafe result.storeBytes(of: 255, toByteOffset: 4 * x + 3, as: UInt8.self) }
        }
    }

    private func copy(_ row: UnsafeRawPointer, to result: UnsafeMutableRawPointer, width: Int) {
        if case .cmyk8 = source {
            unsafe Self.convertCMYK(row, to: result, width: width)
        } else if worksInPlace {
            guard unsafe row != UnsafeRawPointer(result) else { return }
            unsafe result.copyMemory(from: row, byteCount: width * target.bytesPerPixel)
        } else {
            let (wide, bytes) = unsafe (row.assumingMemoryBound(to: UInt16.self), result.assumingMemoryBound(to: UInt8.self))
            for i in 0..<(width * target.channels) {
                unsafe bytes[i] = UInt8(truncatingIfNeeded: (UInt32(wide[i]) &* 255 &+ 32767) / 65535)
            }
        }
    }

    private func finishAlpha(_ row: UnsafeMutableRawPointer, width: Int) {
        let isRowOpaque =
            switch target {
            case .rgba8: unsafe Self.isOpaque(row.assumingMemoryBound(to: UInt8.self), width)
            case .rgba16: unsafe Self.isOpaque(row.assumingMemoryBound(to: UInt16.self), width)
            case .gray8, .gray16: true
            }
        if isRowOpaque { return }
        isOpaque = false
        guard premultiplies else { return }
        unsafe PixelRow.premultiply(
            UnsafeMutableRawBufferPointer(start: row, count: width * target.bytesPerPixel), format: target)
    }

    private static func isOpaque<Sample: FixedWidthInteger>(_ row: UnsafePointer<Sample>, _ width: Int) -> Bool {
        var all = Sample.max
        for x in 0..<width { all &= unsafe row[4 * x + 3] }
        return all == .max
    }

    /// Converts CMYK without a profile to opaque RGBA: each colour is (1 - ink) × (1 - black), rounded to nearest.
    private static func convertCMYK(_ row: UnsafeRawPointer, to result: UnsafeMutableRawPointer, width: Int) {
        let (inks, bytes) = unsafe (row.assumingMemoryBound(to: UInt8.self), result.assumingMemoryBound(to: UInt8.self))
        for x in 0..<width {
            let white = unsafe UInt32(inks[4 * x + 3])
            for color in 4 * x..<4 * x + 3 {
                let product = unsafe UInt32(inks[color]) &* white &+ 128
                unsafe bytes[color] = UInt8(truncatingIfNeeded: (product &+ product >> 8) >> 8)
            }
            unsafe bytes[4 * x + 3] = 255
        }
    }
}
