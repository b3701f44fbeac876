internal import ImageCore
internal import ImageKernels

/// The layout of a codec's rows. Alpha is not premultiplied, and 16-bit samples are in the machine's byte order.
enum RowLayout: Hashable, Sendable {
    case pixels(PixelFormat)
    /// CMYK. 255 is no ink, as all programs write and read it in JPEG, with Adobe's marker and without.
    case cmyk8

    var bytesPerPixel: Int { if case .pixels(let format) = self { format.bytesPerPixel } else { 4 } }

    /// The bitmap format of such rows.
    func pixelFormat(narrowed: Bool) -> PixelFormat {
        guard case .pixels(let format) = self else { return .rgba8 }
        return narrowed ? PixelFormat(isGray: format.channels == 1, isWide: false) : format
    }
}

extension PixelFormat {
    /// - Parameter isWide: whether samples have 16 bits.
    init(isGray: Bool, isWide: Bool) { self = isGray ? (isWide ? .gray16 : .gray8) : isWide ? .rgba16 : .rgba8 }
}
