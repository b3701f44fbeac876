import CCalotypeCodec
import ImageCore

/// The layout of a codec's rows. Alpha is not premultiplied, and 16-bit samples are in the machine's byte order.
enum RowLayout: Sendable {
    case gray8, rgba8, gray16, rgba16
    /// CMYK. 255 is full ink, or no ink if `inverted`.
    case cmyk8(inverted: Bool)

    init(isGray: Bool, isWide: Bool) { self = isGray ? (isWide ? .gray16 : .gray8) : isWide ? .rgba16 : .rgba8 }

    /// The layout of a bitmap's pixels.
    init(_ format: PixelFormat) {
        self.init(isGray: format.channels == 1, isWide: format.bytesPerPixel > format.channels)
    }

    /// Whether samples have 16 bits.
    var isWide: Bool { if case .gray16 = self { true } else if case .rgba16 = self { true } else { false } }

    var bytesPerPixel: Int {
        switch self {
        case .gray8: 1
        case .gray16: 2
        case .rgba8, .cmyk8: 4
        case .rgba16: 8
        }
    }

    /// The bitmap format of such rows.
    func pixelFormat(narrowed: Bool) -> PixelFormat {
        switch self {
        case .gray8: .gray8
        case .gray16: narrowed ? .gray8 : .gray16
        case .rgba16: narrowed ? .rgba8 : .rgba16
        case .rgba8, .cmyk8: .rgba8
        }
    }

    var cLayout: clt_layout {
        switch self {
        case .gray8: CLT_GRAY8
        case .rgba8: CLT_RGBA8
        case .gray16: CLT_GRAY16
        case .rgba16: CLT_RGBA16
        case .cmyk8(let inverted): inverted ? CLT_CMYK8_INVERTED : CLT_CMYK8
        }
    }
}

extension PixelFormat {
    var cLayout: clt_layout {
        switch self {
        case .gray8: CLT_GRAY8
        case .rgba8: CLT_RGBA8
        case .gray16: CLT_GRAY16
        case .rgba16: CLT_RGBA16
        }
    }
}
