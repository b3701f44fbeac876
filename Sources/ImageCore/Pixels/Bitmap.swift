/// How one pixel lies in memory. Samples of 16 bits are in the machine's byte order.
public enum PixelFormat: String, Hashable, Sendable, CaseIterable {
    /// One byte: luminance.
    case gray8
    /// Four bytes: red, green, blue, alpha.
    case rgba8
    /// One 16-bit sample: luminance.
    case gray16
    /// Four 16-bit samples: red, green, blue, alpha.
    case rgba16

    public var bytesPerPixel: Int {
        switch self {
        case .gray8: 1
        case .rgba8: 4
        case .gray16: 2
        case .rgba16: 8
        }
    }

    public var channels: Int {
        switch self {
        case .gray8, .gray16: 1
        case .rgba8, .rgba16: 4
        }
    }
}

/// What the alpha channel means. Grey formats are always opaque.
public enum AlphaMode: String, Hashable, Sendable {
    /// Every pixel is opaque; the alpha bytes of an RGBA format are at their maximum.
    case opaque
    /// Colour is multiplied by alpha. The canonical form of pictures with transparency.
    case premultiplied
    /// Colour is not multiplied by alpha. Only made on request (``DecodeOptions/alpha``); kernels do not take it.
    case straight
}

/// The meaning of the numbers in a pixel.
public enum ColorSpace: Hashable, Sendable {
    /// sRGB (IEC 61966-2-1), or its grey of the same transfer curve. The canonical space.
    case sRGB
    /// The space of an embedded ICC profile, kept as it came. In a box of its own, since nearly every bitmap that is handed
    /// about has none.
    indirect case icc(Data)
}

/// A picture in memory: immutable and shared by reference, so that copying the value copies no pixels.
///
/// Canonical form: 8-bit RGBA, premultiplied, sRGB; opaque pictures say so; grey stays one channel. Rows start at
/// multiples of 64 bytes. Safe to read from any thread.
public struct Bitmap: Sendable {
    // In this order, and half as wide as an `Int`, so that a cached image fits a line of the processor's cache.
    private let storage: PixelStorage
    public let colorSpace: ColorSpace
    private let (columns, rows): (Int32, Int32)
    public let format: PixelFormat
    public let alpha: AlphaMode

    /// Pixels.
    public var size: PixelSize { PixelSize(width: width, height: height) }
    /// Pixels.
    public var width: Int { Int(columns) }
    /// Pixels.
    public var height: Int { Int(rows) }
    /// From the start of one row to the start of the next, a multiple of 64 bytes.
    public var bytesPerRow: Int { Bitmap.bytesPerRow(width: width, format: format) }

    /// The memory that the pixels take, in bytes, padding included.
    public var byteCount: Int { storage.byteCount }

    /// Allocates the pixels and lets `fill` write them once, before anyone can see them.
    ///
    /// - Parameters:
    ///   - size: both sides at least 1.
    ///   - fill: gets the whole buffer, zeroed, and the bytes per row. What it throws is rethrown and nothing is kept.
    /// - Throws: ``ImageError`` (`limits`) for an empty size, or one whose bytes cannot be counted or allocated.
    public init(
        size: PixelSize, format: PixelFormat, alpha: AlphaMode, colorSpace: ColorSpace = .sRGB,
        fill: (_ pixels: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) throws -> Void
    ) throws {
        guard size.width > 0, size.height > 0, let columns = Int32(exactly: size.width), let rows = Int32(exactly: size.height),
            let count = size.pixelCount, count <= Int.max / 16 - 64 * size.height
        else {
            throw ImageError(.tooLarge, message: "A bitmap of \(size) pixels cannot be made.")
        }
        let row = Bitmap.bytesPerRow(width: size.width, format: format)
        guard let storage = PixelStorage(byteCount: row * size.height) else {
            throw ImageError(.tooLarge, message: "There is no memory for a bitmap of \(size) pixels.")
        }
        try unsafe fill(storage.mutableBytes, row)
        (self.columns, self.rows) = (columns, rows)
        self.format = format
        self.alpha = format.channels == 1 ? .opaque : alpha
        self.colorSpace = colorSpace
        self.storage = storage
    }

    /// The same pixels under another description, without a copy; for a decoder that learns the meaning late.
    public func reinterpreted(alpha: AlphaMode? = nil, colorSpace: ColorSpace? = nil) -> Bitmap {
        Bitmap(self, alpha: alpha ?? self.alpha, colorSpace: colorSpace ?? self.colorSpace)
    }

    private init(_ other: Bitmap, alpha: AlphaMode, colorSpace: ColorSpace) {
        (columns, rows, format, storage) = (other.columns, other.rows, other.format, other.storage)
        self.alpha = format.channels == 1 ? .opaque : alpha
        self.colorSpace = colorSpace
    }

    /// The one place where pixel memory is handed out, to Swift and to C alike.
    ///
    /// - Parameter body: gets all rows, `bytesPerRow` apart; the pointer is valid only inside.
    public func withUnsafePixels<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try unsafe body(UnsafeRawBufferPointer(storage.mutableBytes))
    }

    /// Bytes per row of a bitmap of that width: the pixels' bytes rounded up to a multiple of 64.
    public static func bytesPerRow(width: Int, format: PixelFormat) -> Int {
        (width * format.bytesPerPixel + 63) & ~63
    }
}

/// The memory behind a bitmap.
// @unchecked because the bytes are written only inside `Bitmap.init`, before the value exists, and never after.
@safe private final class PixelStorage: @unchecked Sendable {
    let byteCount: Int
    let mutableBytes: UnsafeMutableRawBufferPointer

    init?(byteCount: Int) {
        guard let base = unsafe allocateAligned(byteCount) else { return nil }
        self.byteCount = byteCount
        unsafe mutableBytes = UnsafeMutableRawBufferPointer(start: base, count: byteCount)
    }

    deinit { unsafe releaseAligned(mutableBytes.baseAddress.unsafelyUnwrapped, byteCount: byteCount) }
}
