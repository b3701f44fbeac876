#if canImport(CoreGraphics)
    internal import CoreGraphics
#endif

/// The pixels of an image: immutable and shared by reference, so that copying the value copies no pixels.
///
/// The canonical form is 8-bit RGBA, premultiplied, sRGB. Opaque images are marked as ``AlphaMode/opaque``, and grey
/// images have one channel. Rows start at multiples of 64 bytes. A bitmap may be read from any thread.
public struct Bitmap: Sendable, Equatable, CustomStringConvertible {
    // The order and the 32-bit sizes make an entry of the memory cache fit a line of the processor's cache.
    private var storage: PixelStorage
    /// The colour space of the pixels.
    public private(set) var colorSpace: ColorSpace
    private let (columns, rows): (Int32, Int32)
    /// The layout of a pixel.
    public let format: PixelFormat
    /// The meaning of the alpha channel.
    public private(set) var alpha: AlphaMode

    /// The size in pixels.
    public var size: PixelSize { PixelSize(width: width, height: height) }
    /// The width in pixels.
    public var width: Int { Int(columns) }
    /// The height in pixels.
    public var height: Int { Int(rows) }
    /// The bytes from the start of a row to the start of the next, a multiple of 64.
    public var bytesPerRow: Int { Bitmap.bytesPerRow(width: width, format: format) }

    /// The memory of the pixels in bytes, including padding.
    public var byteCount: Int { storage.byteCount }

    /// Size, format, and alpha and profile if there are any, such as `64x48 rgba8` or
    /// `64x48 rgba8 premultiplied, ICC profile`.
    public var description: String {
        let alpha = alpha == .opaque ? "" : " \(alpha.rawValue)"
        let profile = colorSpace == .sRGB ? "" : ", ICC profile"
        return "\(size) \(format.rawValue)\(alpha)\(profile)"
    }

    /// Allocates the pixels and calls `fill` to write them.
    ///
    /// - Parameters:
    ///   - size: the size in pixels; both sides at least 1.
    ///   - format: the layout of a pixel.
    ///   - alpha: the meaning of the alpha channel; ignored for grey formats.
    ///   - colorSpace: the colour space of the pixels; sRGB.
    ///   - fill: writes the pixels. Its arguments are the buffer of all rows, zeroed, and the bytes per row.
    /// - Throws: ``ImageError`` (`tooLarge`) if a side is less than 1 or there is not enough memory; what `fill`
    ///   throws.
    public init(
        size: PixelSize, format: PixelFormat, alpha: AlphaMode, colorSpace: ColorSpace = .sRGB,
        fill: (_ pixels: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) throws -> Void
    ) throws {
        guard size.width > 0, size.height > 0, let columns = Int32(exactly: size.width), let rows = Int32(exactly: size.height),
            let count = size.pixelCount, count <= Int.max / 16 - 64 * size.height
        else {
            throw ImageError(.tooLarge, message: "A bitmap of \(size) pixels cannot be made: the size is empty or too large.")
        }
        let row = Bitmap.bytesPerRow(width: size.width, format: format)
        guard let storage = PixelStorage(byteCount: row * size.height) else {
            throw ImageError(
                .tooLarge,
                message: "There is not enough memory for a bitmap of \(size) pixels. Load the image with a target size.")
        }
        try unsafe fill(storage.mutableBytes, row)
        (self.columns, self.rows) = (columns, rows)
        self.format = format
        self.alpha = format.channels == 1 ? .opaque : alpha
        self.colorSpace = colorSpace
        self.storage = storage
    }

    /// Whether two values share their pixels and read them alike. Pixels are not compared.
    public static func == (a: Bitmap, b: Bitmap) -> Bool {
        a.storage === b.storage && a.size == b.size && a.format == b.format && a.alpha == b.alpha
            && a.colorSpace == b.colorSpace
    }

    /// Returns the same pixels with another alpha mode or colour space, without a copy or a conversion. For decoders
    /// that learn them after the pixels.
    public func reinterpreted(alpha: AlphaMode? = nil, colorSpace: ColorSpace? = nil) -> Bitmap {
        var copy = self
        if let alpha, format.channels > 1 { copy.alpha = alpha }
        if let colorSpace { copy.colorSpace = colorSpace }
        return copy
    }

    /// Whether no other bitmap shares the pixels.
    mutating func isUniquelyReferenced() -> Bool { isKnownUniquelyReferenced(&storage) }

    /// A bitmap that does not keep its pixels.
    struct Weak: Sendable {
        private weak var storage: PixelStorage?
        private let (colorSpace, columns, rows): (ColorSpace, Int32, Int32)
        private let (format, alpha): (PixelFormat, AlphaMode)

        init(_ bitmap: Bitmap) {
            storage = bitmap.storage
            (colorSpace, columns, rows) = (bitmap.colorSpace, bitmap.columns, bitmap.rows)
            (format, alpha) = (bitmap.format, bitmap.alpha)
        }

        /// The bitmap, as long as another one shares its pixels.
        var bitmap: Bitmap? {
            storage.map {
                Bitmap(storage: $0, colorSpace: colorSpace, columns: columns, rows: rows, format: format, alpha: alpha)
            }
        }
    }

    private init(
        storage: PixelStorage, colorSpace: ColorSpace, columns: Int32, rows: Int32, format: PixelFormat, alpha: AlphaMode
    ) {
        (self.storage, self.colorSpace, self.columns, self.rows) = (storage, colorSpace, columns, rows)
        (self.format, self.alpha) = (format, alpha)
    }

    /// Calls a function with the memory of the pixels.
    ///
    /// - Parameter body: its argument is the buffer of all rows, ``bytesPerRow`` apart, which is valid only during the
    ///   call.
    public func withUnsafePixels<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try unsafe body(UnsafeRawBufferPointer(storage.mutableBytes))
    }

    #if canImport(CoreGraphics)
        /// Returns the image that shares the pixels of this bitmap. `make` is called with the provider of the pixels if
        /// there is none yet.
        func sharedCGImage(_ make: (CGDataProvider) -> CGImage?) -> CGImage? {
            storage.sharedImage(alpha, colorSpace, make)
        }
    #endif

    /// The bytes per row of a bitmap: the bytes of its pixels, rounded up to a multiple of 64.
    public static func bytesPerRow(width: Int, format: PixelFormat) -> Int {
        (width * format.bytesPerPixel + 63) & ~63
    }
}

/// The memory behind a bitmap.
// @unchecked because the bytes are written only in `Bitmap.init`, before the bitmap exists.
@safe private final class PixelStorage: @unchecked Sendable {
    let byteCount: Int
    let mutableBytes: UnsafeMutableRawBufferPointer

    init?(byteCount: Int) {
        guard let base = unsafe allocateAligned(byteCount) else { return nil }
        self.byteCount = byteCount
        unsafe mutableBytes = UnsafeMutableRawBufferPointer(start: base, count: byteCount)
    }

    deinit {
        #if canImport(CoreGraphics)
            if shared.withLock({ $0 != nil }) { return }
        #endif
        unsafe releaseAligned(mutableBytes.baseAddress.unsafelyUnwrapped, byteCount: byteCount)
    }

    #if canImport(CoreGraphics)
        // @unchecked because the objects of Core Graphics are immutable.
        private struct Shared: @unchecked Sendable {
            let alpha: AlphaMode
            let colorSpace: ColorSpace
            let provider: CGDataProvider
            let image: CGImage?
        }

        /// Once there is a provider, the memory belongs to it, because Core Graphics may retain it for longer than this
        /// object lives. A provider that retained this object would be a cycle.
        private let shared = Lock<Shared?>(nil)

        func sharedImage(_ alpha: AlphaMode, _ colorSpace: ColorSpace, _ make: (CGDataProvider) -> CGImage?) -> CGImage? {
            let result = shared.withLock { state -> Shared? in
                if state == nil, let provider = makeProvider() {
                    state = Shared(alpha: alpha, colorSpace: colorSpace, provider: provider, image: make(provider))
                }
                return state
            }
            guard let result else { return nil }
            // The same pixels with another alpha mode or profile are rare, so that their image is not kept.
            return result.alpha == alpha && result.colorSpace == colorSpace ? result.image : make(result.provider)
        }

        private func makeProvider() -> CGDataProvider? {
            guard let start = unsafe mutableBytes.baseAddress else { return nil }
            return unsafe CGDataProvider(dataInfo: nil, data: start, size: byteCount) { _, data, byteCount in
                unsafe releaseAligned(UnsafeMutableRawPointer(mutating: data), byteCount: byteCount)
            }
        }
    #endif
}
