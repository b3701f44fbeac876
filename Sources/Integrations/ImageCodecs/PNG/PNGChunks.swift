internal import ImageCore
internal import ImageDecoding

/// Iterates over the chunks of a PNG (PNG specification, 5.3): length, type, content, checksum. It reads only lengths
/// and types, and stops at the first invalid chunk.
struct PNGChunks: Sequence, IteratorProtocol {
    struct Chunk {
        let type: String
        let content: Data
        /// The type and the content, and their checksum; `nil` if the file ends before it.
        fileprivate let body: Data
        fileprivate let checksum: Int?

        /// Whether the checksum is right or missing. It is computed here (PNG specification, 5.5 and annex D).
        var isIntact: Bool {
            guard let checksum else { return true }
            let result = body.reduce(UInt32.max) { crc, byte in
                PNGChunks.remainders[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8
            }
            return checksum == Int(~result)
        }
    }

    /// The remainder of each byte in the division of the checksum.
    private static let remainders = (0..<256).map { byte -> UInt32 in
        (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private let reader: ByteReader
    /// Where the next chunk begins.
    private(set) var offset: Int

    /// - Parameter offset: where the first chunk to read begins; by default after the signature.
    init(_ file: Data, from offset: Int = 8) { (reader, self.offset) = (ByteReader(file), offset) }

    /// Returns a chunk with the checksum 0, for readers that do not check it.
    static func chunk(_ type: String, _ content: Data) -> Data {
        big(content.count) + Data(type.utf8) + content + Data(count: 4)
    }

    /// Returns the number in four bytes, the highest first.
    static func big(_ number: Int) -> Data {
        Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) })
    }

    mutating func next() -> Chunk? {
        guard let length = reader.uint32(at: offset, bigEndian: true), let body = reader.bytes(at: offset + 4, count: 4 + length)
        else { return nil }
        defer { offset += 12 + length }
        return Chunk(
            type: String(decoding: body.prefix(4), as: UTF8.self), content: body.dropFirst(4), body: body,
            checksum: reader.uint32(at: offset + 8 + length, bigEndian: true))
    }
}

/// The properties that a PNG's chunks give its pixels. As in browsers, an ancillary chunk with a wrong checksum or an
/// invalid length does not count.
struct PNGMetadata {
    private(set) var orientation = Orientation.up
    /// The frames of the animation, if the file is one.
    private(set) var animation = APNGFrames()
    /// Whether the file has a profile, apart from whether it can be read. libpng uses one with a wrong checksum.
    private var hasProfile = false
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
            if chunk.type == "IDAT" { hasPixels = true }
            if chunk.type == "IEND" { hasEnd = true }
            animation.read(chunk)
            // No other chunk after the pixels changes how they must be read.
            let isUsed = chunk.type == "eXIf" || !hasPixels && ["iCCP", "sRGB", "gAMA", "cHRM", "cICP"].contains(chunk.type)
            if isUsed, chunk.content.count <= limits.metadataBytes, chunk.isIntact { read(chunk.type, chunk.content) }
        }
        animation.finish(isComplete: hasEnd)
    }

    private mutating func read(_ type: String, _ bytes: Data) {
        let content = ByteReader(bytes)
        switch (type, content.count) {
        case ("eXIf", _): orientation = EXIFOrientation.parse(bytes)
        case ("iCCP", _): hasProfile = true
        case ("sRGB", 1): isSRGB = true
        case ("gAMA", 4): gamma = content.uint32(at: 0, bigEndian: true).map { Double($0) / 100_000 }
        case ("cHRM", 32):
            chromaticities = (0..<8).compactMap { content.uint32(at: 4 * $0, bigEndian: true).map { Double($0) / 100_000 } }
        // Primaries, transfer curve, matrix, range. The pixels of a PNG are RGB, so that the matrix is 0.
        case ("cICP", 4) where content.byte(at: 2) == 0:
            if let primaries = content.byte(at: 0), let transfer = content.byte(at: 1) {
                codePoints = (Int(primaries), Int(transfer))
            }
        default: break
        }
    }

    /// The profile in iCCP, as libpng has read it.
    func embeddedProfile(_ icc: Data?) -> ColorProfile { ColorProfile(embedded: hasProfile ? icc : nil) }

    /// The color profile: cICP before iCCP before sRGB before gAMA and cHRM (PNG specification, third edition, 4.3).
    func profile(embedded: Data?) -> ColorProfile {
        if let codePoints, let profile = ColorProfile(primaries: codePoints.primaries, transfer: codePoints.transfer) {
            return profile
        }
        if hasProfile, embedded != nil { return embeddedProfile(embedded) }
        guard !isSRGB, let gamma, gamma > 0.01, gamma < 10 else { return .sRGB }
        // With sRGB's primaries, encoders write 1 / 2.2 for sRGB's curve.
        let isStandardCurve = abs(gamma - 0.45455) < 0.01
        let colors = chromaticities ?? Self.standardChromaticities
        let isStandardColor = zip(colors, Self.standardChromaticities).allSatisfy { abs($0 - $1) < 0.002 }
        if isStandardCurve, isStandardColor { return .sRGB }
        guard Self.isGamut(colors) else { return .sRGB }
        return ColorProfile(chromaticities: colors, gamma: 1 / gamma)
    }

    /// Whether the chromaticities form a triangle, so that a matrix exists. The blue of wide gamuts has y close to 0.
    private static func isGamut(_ c: [Double]) -> Bool {
        guard c.allSatisfy({ $0 >= 0 && $0 <= 1 }), c[1] > 0.05, c[3] > 0, c[5] > 0, c[7] > 0 else { return false }
        let area = (c[4] - c[2]) * (c[7] - c[3]) - (c[6] - c[2]) * (c[5] - c[3])
        return abs(area) > 0.01
    }
}
