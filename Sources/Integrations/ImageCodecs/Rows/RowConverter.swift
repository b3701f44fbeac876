internal import CCalotypeCodec
internal import ImageCore
internal import ImageKernels

/// Converts a codec's rows to the form of a bitmap: colours to sRGB, depth to 8 bits, and alpha to the requested mode.
final class RowConverter {
    let source: RowLayout
    let target: PixelFormat
    let hasAlpha: Bool
    private let transform: (any RowTransform)?
    private let premultiplies: Bool
    /// Whether all pixels so far are opaque.
    private(set) var isOpaque = true

    init(source: RowLayout, target: PixelFormat, hasAlpha: Bool, premultiplies: Bool, transform: (any RowTransform)?) {
        self.source = source
        self.target = target
        self.hasAlpha = hasAlpha
        self.premultiplies = premultiplies
        self.transform = transform
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
    }

    private func copy(_ row: UnsafeRawPointer, to result: UnsafeMutableRawPointer, width: Int) {
        if case .cmyk8(let inverted) = source {
            unsafe clt_cmyk_to_rgba8(
                row.assumingMemoryBound(to: UInt8.self), result.assumingMemoryBound(to: UInt8.self), width, inverted)
        } else if worksInPlace {
            guard unsafe row != UnsafeRawPointer(result) else { return }
            unsafe result.copyMemory(from: row, byteCount: width * target.bytesPerPixel)
        } else {
            unsafe clt_narrow(
                row.assumingMemoryBound(to: UInt16.self), result.assumingMemoryBound(to: UInt8.self), width * target.channels)
        }
    }

    private func finishAlpha(_ row: UnsafeMutableRawPointer, width: Int) {
        let isRowOpaque =
            switch target {
            case .rgba8: unsafe clt_is_opaque_rgba8(row.assumingMemoryBound(to: UInt8.self), width)
            case .rgba16: unsafe clt_is_opaque_rgba16(row.assumingMemoryBound(to: UInt16.self), width)
            case .gray8, .gray16: true
            }
        if isRowOpaque { return }
        isOpaque = false
        guard premultiplies else { return }
        unsafe PixelRow.premultiply(
            UnsafeMutableRawBufferPointer(start: row, count: width * target.bytesPerPixel), format: target)
    }
}
