import ImageCore

/// What the header of a Netpbm file states.
///
/// The kinds are those of Netpbm's documentation (its pages *pbm*, *pgm*, *ppm* and *pam*). The first three are text,
/// as in this image of 3 by 2 pixels with levels from 0 to 15. The next three have the same header before a binary
/// raster.
///
/// ```
/// P2
/// # a comment
/// 3 2 15
/// 0 7 15
/// 15 7 0
/// ```
///
/// | kind | samples of a pixel |
/// |---|---|
/// | P1, P4 | a bit, of which 1 is black; P4 packs eight into a byte, each row from a new byte |
/// | P2, P5 | grey, from 0 to maxval |
/// | P3, P6 | red, green and blue |
/// | P7 (PAM) | grey or RGB, with or without straight alpha, as the header says in words |
struct NetpbmHeader {
    let kind: UInt8
    private(set) var size = PixelSize(0)
    private(set) var maxval = 1
    /// The number of samples of a pixel.
    private(set) var depth = 1
    /// Where the raster begins.
    private(set) var rasterStart = 0

    var isText: Bool { kind < 4 }
    /// Whether a sample is a bit of which 1 is black.
    var isBitmap: Bool { kind == 1 || kind == 4 }
    var hasAlpha: Bool { depth % 2 == 0 }
    /// The bytes of a sample in a binary raster, of P5 to P7.
    var sampleBytes: Int { maxval > 255 ? 2 : 1 }
    /// The bytes of a row in a binary raster.
    var rowBytes: Int { kind == 4 ? (size.width + 7) / 8 : size.width * depth * sampleBytes }

    var info: ImageInfo {
        ImageInfo(
            format: .netpbm, size: size, hasAlpha: hasAlpha, bitDepth: Int.bitWidth - maxval.leadingZeroBitCount,
            colorModel: depth < 3 ? .gray : .rgb)
    }

    /// Returns the kind of a file, from 1 to 7, from its first three bytes; `nil` for other files.
    static func kind(of head: some Collection<UInt8>) -> UInt8? {
        let head = Array(head.prefix(3))
        guard head.count == 3, head[0] == UInt8(ascii: "P"), (0x31...0x37).contains(head[1]) else { return nil }
        let isEnd = head[1] == 0x37 ? head[2] == 0x0A : NetpbmReader.isWhitespace(head[2]) || head[2] == UInt8(ascii: "#")
        return isEnd ? head[1] - 0x30 : nil
    }

    /// Reads the header, and checks it.
    ///
    /// - Parameter bytes: the file, or its beginning.
    /// - Throws: ``ImageError``: `truncated` if the bytes end within the header.
    init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws {
        guard let kind = Self.kind(of: bytes) else { throw ImageError.netpbm(.corrupt, "does not begin with P1 to P7") }
        var reader = NetpbmReader(bytes: bytes, position: 2)
        self.kind = kind
        if kind == 7 {
            try readFields(from: &reader)
        } else {
            size = PixelSize(width: try reader.number(), height: try reader.number())
            if !isBitmap { maxval = try reader.number() }
            depth = kind % 3 == 0 ? 3 : 1
        }
        rasterStart = reader.position
        guard size.width > 0, size.height > 0, (1...65_535).contains(maxval) else {
            throw ImageError.netpbm(.corrupt, "states a size of \(size) pixels and a maximum of \(maxval)")
        }
        try limits.check(size, bytesPerPixel: 1)
    }

    /// Reads the fields of a PAM, each a name and a value, in any order.
    private mutating func readFields(from reader: inout NetpbmReader) throws {
        (maxval, depth) = (0, 0)
        var type: String?
        while case let name = try reader.word(), name != "ENDHDR" {
            switch name {
            case "WIDTH": size.width = try reader.number()
            case "HEIGHT": size.height = try reader.number()
            case "DEPTH": depth = try reader.number()
            case "MAXVAL": maxval = try reader.number()
            case "TUPLTYPE": type = try [type, reader.word()].compactMap { $0 }.joined(separator: " ")
            default: throw ImageError.netpbm(.corrupt, "has a field \(name) in its header")
            }
        }
        let types = [["BLACKANDWHITE", "GRAYSCALE"], ["BLACKANDWHITE_ALPHA", "GRAYSCALE_ALPHA"], ["RGB"], ["RGB_ALPHA"]]
        guard (1...4).contains(depth), type.map(types[depth - 1].contains) ?? true else {
            let what = "\(depth) samples a pixel of the type \(type ?? "none")"
            throw ImageError.netpbm(.unsupportedFeature, "has \(what); convert it to grey or RGB")
        }
    }
}
