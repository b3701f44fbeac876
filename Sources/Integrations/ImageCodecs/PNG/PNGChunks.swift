import ImageCore
import ImageDecoding

/// Walks over the chunks of a PNG (PNG specification, 5.3): length, type, content, CRC. Reads nothing but lengths and
/// types, so it goes through a large file in no time, and stops at the first chunk that does not fit.
struct PNGChunks: Sequence, IteratorProtocol {
    struct Chunk {
        let type: String
        /// Where the content begins in the file.
        let offset: Int
        let content: Data
    }

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private let reader: ByteReader
    private var offset = 8

    init(_ file: Data) { reader = ByteReader(file) }

    /// A chunk whose checksum is zero, for readers that do not look at it.
    static func chunk(_ type: String, _ content: Data) -> Data {
        big(content.count) + Data(type.utf8) + content + Data(count: 4)
    }

    /// A number in four bytes, the highest first.
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

/// What the chunks around a PNG's pixels say of them. Taken chunk by chunk, so that it is the same for a file that arrives
/// in pieces.
struct PNGMetadata {
    private(set) var orientation = Orientation.up
    /// Frames of an APNG; 0 where it is a still image. Of a whole file no more than it holds, whatever it announces.
    private(set) var frames = 0
    private var frameControls = 0
    /// Whether the pixels in `IDAT` are not part of the announced animation: no frame begins before them.
    private(set) var hasSeparateDefault = false
    /// How often an APNG is shown, 0 for ever.
    private(set) var plays: Int?
    private var isSRGB = false
    private var gamma: Double?
    private var chromaticities: [Double]?
    private(set) var codePoints: (primaries: Int, transfer: Int)?
    private var hasPixels = false
    /// Whether the file has its last chunk, IEND.
    private(set) var hasEnd = false
    /// Longer chunks are passed over, in bytes.
    private let limit: Int

    /// The colours of ITU-R BT.709 and sRGB: x and y of white, red, green and blue.
    static let standardChromaticities = [0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06]

    /// Of no chunk yet.
    init(limits: DecodingLimits) { limit = limits.metadataBytes }

    init(_ file: Data, limits: DecodingLimits) {
        self.init(limits: limits)
        for chunk in PNGChunks(file) {
            if reads(chunk.type, byteCount: chunk.content.count) { read(chunk.type, chunk.content) } else { pass(chunk.type) }
        }
        frames = min(frames, frameControls)
    }

    /// Whether the content of the next chunk matters.
    func reads(_ type: String, byteCount: Int) -> Bool {
        guard byteCount <= limit else { return false }
        // Behind the pixels stands nothing else that says how they are to be read.
        return type == "eXIf" || !hasPixels && ["acTL", "sRGB", "gAMA", "cHRM", "cICP"].contains(type)
    }

    /// Notes a chunk whose content does not matter.
    mutating func pass(_ type: String) {
        if type == "IDAT" {
            if !hasPixels { hasSeparateDefault = frames > 0 && frameControls == 0 }
            hasPixels = true
        }
        if type == "fcTL" { frameControls += 1 }
        if type == "IEND" { hasEnd = true }
    }

    /// Takes a chunk that ``reads(_:byteCount:)`` asks for.
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

    /// What the colours mean: cICP before iCCP before sRGB before gAMA and cHRM (PNG specification, third edition, 4.3).
    func profile(embedded: Data?) -> ColorProfile {
        if let codePoints, let profile = ColorProfile(primaries: codePoints.primaries, transfer: codePoints.transfer) {
            return profile
        }
        if embedded != nil { return ColorProfile(embedded: embedded) }
        guard !isSRGB, let gamma, gamma > 0.01, gamma < 10 else { return .sRGB }
        // With the colours of sRGB, 1 / 2.2 is how writers name its curve.
        let isStandardCurve = abs(gamma - 0.45455) < 0.01
        let colors = chromaticities ?? Self.standardChromaticities
        let isStandardColor = zip(colors, Self.standardChromaticities).allSatisfy { abs($0 - $1) < 0.002 }
        if isStandardCurve, isStandardColor { return .sRGB }
        guard Self.isGamut(colors) else { return .sRGB }
        return ColorProfile(chromaticities: colors, gamma: 1 / gamma)
    }

    /// Whether chromaticities span a triangle, so that a matrix can be made of them.
    private static func isGamut(_ c: [Double]) -> Bool {
        guard c.allSatisfy({ $0 >= 0 && $0 <= 1 }), c[1] > 0.05, c[3] > 0.01, c[5] > 0.01, c[7] > 0.01 else { return false }
        let area = (c[4] - c[2]) * (c[7] - c[3]) - (c[6] - c[2]) * (c[5] - c[3])
        return abs(area) > 0.01
    }
}
