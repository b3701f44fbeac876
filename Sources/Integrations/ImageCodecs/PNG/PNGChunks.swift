import ImageCore
import ImageDecoding

/// Iterates over the chunks of a PNG (PNG specification, 5.3): length, type, content, CRC. It reads only lengths and types, and
/// stops at the first invalid chunk.
struct PNGChunks: Sequence, IteratorProtocol {
    struct Chunk {
        let type: String
        /// The offset of the content in the file.
        let offset: Int
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
        return Chunk(type: String(decoding: name, as: UTF8.self), offset: offset + 8, content: content)
    }
}

/// The properties that a PNG's chunks give its pixels. Chunks are added one by one, so that the result is the same for a file
/// that arrives in pieces.
struct PNGMetadata {
    private(set) var orientation = Orientation.up
    /// The number of frames of an APNG, or 0 for a still image. For a complete file it is at most the number of frames in the
    /// file.
    private(set) var frames = 0
    private var frameControls = 0
    /// Whether the image in `IDAT` is not part of the animation, because no frame begins before it.
    private(set) var hasSeparateDefault = false
    /// The number of times that an APNG is shown; 0 for endless.
    private(set) var plays: Int?
    private var isSRGB = false
    private var gamma: Double?
    private var chromaticities: [Double]?
    private(set) var codePoints: (primaries: Int, transfer: Int)?
    private var hasPixels = false
    /// Whether the file has its last chunk, IEND.
    private(set) var hasEnd = false
    /// The longest chunk that is read, in bytes. Longer ones are skipped.
    private let limit: Int

    /// The chromaticities of ITU-R BT.709 and sRGB: x and y of white, red, green and blue.
    static let standardChromaticities = [0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06]

    /// Creates the properties of a file without chunks.
    init(limits: DecodingLimits) { limit = limits.metadataBytes }

    init(_ file: Data, limits: DecodingLimits) {
        self.init(limits: limits)
        for chunk in PNGChunks(file) {
            if reads(chunk.type, byteCount: chunk.content.count) { read(chunk.type, chunk.content) } else { pass(chunk.type) }
        }
        frames = min(frames, frameControls)
    }

    /// Whether the content of the next chunk is needed.
    func reads(_ type: String, byteCount: Int) -> Bool {
        guard byteCount <= limit else { return false }
        // No other chunk after the pixels changes how they must be read.
        return type == "eXIf" || !hasPixels && ["acTL", "sRGB", "gAMA", "cHRM", "cICP"].contains(type)
    }

    /// Adds a chunk whose content is not needed.
    mutating func pass(_ type: String) {
        if type == "IDAT" {
            if !hasPixels { hasSeparateDefault = frames > 0 && frameControls == 0 }
            hasPixels = true
        }
        if type == "fcTL" { frameControls += 1 }
        if type == "IEND" { hasEnd = true }
    }

    /// Adds a chunk for which ``reads(_:byteCount:)`` returned `true`.
    mutating func read(_ type: String, _ bytes: Data) {
        let content = ByteReader(bytes)
        switch type {
        case "eXIf": orientation = EXIFOrientation.parse(bytes)
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
