internal import ImageCore
internal import ImageDecoding

/// Iterates over the chunks of a PNG (PNG specification, 5.3): length, type, content, CRC. It reads only lengths and
/// types, and stops at the first invalid chunk.
struct PNGChunks: Sequence, IteratorProtocol {
    struct Chunk {
        let type: String
        let content: Data
    }

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private let reader: ByteReader
    private var offset = 8

    init(_ file: Data) { reader = ByteReader(file) }

    /// Returns a chunk with the checksum 0, for readers that do not check it.
    static func chunk(_ type: String, _ content: Data) -> Data {
        big(content.count) + Data(type.utf8) + content + Data(count: 4)
    }

    /// Returns the number in four bytes, the highest first.
    static func big(_ number: Int) -> Data {
        Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) })
    }

    mutating func next() -> Chunk? {
        guard let length = reader.uint32(at: offset, bigEndian: true), let name = reader.bytes(at: offset + 4, count: 4),
            let content = reader.bytes(at: offset + 8, count: length)
        else { return nil }
        defer { offset += 12 + length }
        return Chunk(type: String(decoding: name, as: UTF8.self), content: content)
    }
}

/// The properties that a PNG's chunks give its pixels.
struct PNGMetadata {
    private(set) var orientation = Orientation.up
    /// The number of frames of an APNG that are in the file, or 0 for a still image.
    private(set) var frames = 0
    private var frameControls = 0
    /// Whether the image in `IDAT` is not part of the animation, because no frame begins before it.
    private(set) var hasSeparateDefault = false
    /// The number of times that an APNG is shown; 0 for endless.
    private(set) var plays: Int?
    private var isSRGB = false
    private var gamma: Double?
    private var chromaticities: [Double]?
    private var codePoints: (primaries: Int, transfer: Int)?
    /// Whether the file has its last chunk, IEND.
    private(set) var hasEnd = false
    /// The chromaticities of ITU-R BT.709 and sRGB: x and y of white, red, green and blue.
    static let standardChromaticities = [0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06]

    /// Reads the chunks that have arrived. Chunks that are longer than the limit of metadata are skipped.
    init(_ file: Data, limits: DecodingLimits) {
        var hasPixels = false
        for chunk in PNGChunks(file) {
            switch chunk.type {
            case "IDAT": hasPixels = true
            case "fcTL": frameControls += 1
            case "IEND": hasEnd = true
            case _ where chunk.content.count > limits.metadataBytes: break
            case "eXIf": orientation = EXIFOrientation.parse(chunk.content)
            // No other chunk after the pixels changes how they must be read.
            case _ where !hasPixels: read(chunk.type, ByteReader(chunk.content))
            default: break
            }
            if !hasPixels { hasSeparateDefault = frames > 0 && frameControls == 0 }
        }
        frames = min(frames, frameControls)
    }

    private mutating func read(_ type: String, _ content: ByteReader) {
        switch type {
        case "acTL":
            frames = content.uint32(at: 0, bigEndian: true) ?? 0
            plays = content.uint32(at: 4, bigEndian: true)
        case "sRGB": isSRGB = true
        case "gAMA": gamma = content.uint32(at: 0, bigEndian: true).map { Double($0) / 100_000 }
        case "cHRM":
            let values = (0..<8).compactMap { content.uint32(at: 4 * $0, bigEndian: true).map { Double($0) / 100_000 } }
            if values.count == 8 { chromaticities = values }
        case "cICP":
            if let primaries = content.byte(at: 0), let transfer = content.byte(at: 1) {
                codePoints = (Int(primaries), Int(transfer))
            }
        default: break
        }
    }

    /// The color profile: cICP before iCCP before sRGB before gAMA and cHRM (PNG specification, third edition, 4.3).
    func profile(embedded: Data?) -> ColorProfile {
        if let codePoints, let profile = ColorProfile(primaries: codePoints.primaries, transfer: codePoints.transfer) {
            return profile
        }
        if embedded != nil { return ColorProfile(embedded: embedded) }
        guard !isSRGB, let gamma, gamma > 0.01, gamma < 10 else { return .sRGB }
        // With sRGB's primaries, encoders write 1 / 2.2 for sRGB's curve.
        let isStandardCurve = abs(gamma - 0.45455) < 0.01
        let colors = chromaticities ?? Self.standardChromaticities
        let isStandardColor = zip(colors, Self.standardChromaticities).allSatisfy { abs($0 - $1) < 0.002 }
        if isStandardCurve, isStandardColor { return .sRGB }
        guard Self.isGamut(colors) else { return .sRGB }
        return ColorProfile(chromaticities: colors, gamma: 1 / gamma)
    }

    /// Whether the chromaticities form a triangle, so that a matrix exists.
    private static func isGamut(_ c: [Double]) -> Bool {
        guard c.allSatisfy({ $0 >= 0 && $0 <= 1 }), c[1] > 0.05, c[3] > 0.01, c[5] > 0.01, c[7] > 0.01 else { return false }
        let area = (c[4] - c[2]) * (c[7] - c[3]) - (c[6] - c[2]) * (c[5] - c[3])
        return abs(area) > 0.01
    }
}
