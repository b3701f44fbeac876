internal import CalotypeTesting
internal import ImageCore
internal import ImageCodecs

/// The image of a URL. Its colour is a hash of the URL's path, so that the image identifies its URL.
struct StormImage {
    let path: String
    private let hash: UInt64

    init(path: String) {
        self.path = path
        // FNV-1a (Fowler, Noll, Vo), mixed so that similar paths have different colours.
        var hash = SeededGenerator(seed: path.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
        self.hash = hash.next()
    }

    var isPNG: Bool { path.hasSuffix(".png") }
    var side: Int { 24 + Int(hash >> 40 & 63) }
    var type: String { isPNG ? "image/png" : "image/jpeg" }
    /// A text that identifies the image.
    var tagText: String { String(hash, radix: 16) }
    var entityTag: String { "\"\(tagText)\"" }

    private var color: [UInt8] { [UInt8(hash & 0xFF), UInt8(hash >> 8 & 0xFF), UInt8(hash >> 16 & 0xFF)] }

    /// Returns the file, with 1 to 40 KB that decoders skip, so that a transfer can break in the middle.
    func file() throws -> [UInt8] {
        let image = try TestImages.solid(width: side, height: side, red: color[0], green: color[1], blue: color[2])
        let padding = noise(1_000 + Int(hash >> 24 & 0xFFFF) % 40_000)
        if isPNG {
            let file = [UInt8](try PNGEncoder().encode(image, as: .png, options: EncodeOptions()))
            // After the signature and the chunk IHDR.
            return Array(file[..<33] + PNGChunk.bytes(type: "stRm", padding) + file[33...])
        }
        var options = EncodeOptions()
        (options.quality, options.chroma) = (95, .full)
        let file = [UInt8](try JPEGEncoder().encode(image, as: .jpeg, options: options))
        // A comment after the marker that begins the file.
        let length = padding.count + 2
        return file[..<2] + [0xFF, 0xFE, UInt8(length >> 8), UInt8(length & 0xFF)] + padding + file[2...]
    }

    /// Returns what is wrong with an image that was loaded from this path, or `nil` for the right image.
    func problem(with image: DecodedImage, isFullSize: Bool) -> String? {
        let size = image.size
        if isFullSize, size != PixelSize(width: side, height: side) { return "it has the size \(size)" }
        if image.isPartial || image.isPreview { return "it is only a part" }
        // JPEG rounds; PNG keeps every bit.
        let tolerance = isPNG ? 0 : 4
        for y in stride(from: 0, to: size.height, by: 7) + [size.height - 1] {
            for x in stride(from: 0, to: size.width, by: 7) + [size.width - 1] {
                let pixel = TestImages.pixel(of: image, x: x, y: y)
                guard image.bitmap.format == .rgba8 else { return "its pixels are \(image.bitmap.format.rawValue)" }
                for channel in 0..<3 where abs(Int(pixel[channel]) - Int(color[channel])) > tolerance {
                    return "its pixel (\(x), \(y)) is \(pixel[..<3].map { Int($0) }), not \(color.map { Int($0) })"
                }
            }
        }
        return nil
    }

    private func noise(_ count: Int) -> [UInt8] {
        var random = SeededGenerator(seed: hash)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }
}

/// Chunks of a PNG file (PNG specification, section 5).
enum PNGChunk {
    static func bytes(type: String, _ data: [UInt8]) -> [UInt8] {
        let named = Array(type.utf8) + data
        return bigEndian(UInt32(data.count)) + named + bigEndian(CRC32.of(named))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}

/// The checksum of PNG and gzip.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    static func of(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(0xFFFF_FFFF) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
    }
}

/// Writes content codings of stored blocks and of runs of zeros.
enum ContentCoding {
    private static let gzipStart: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]

    /// Returns a stored block of at most 65,535 bytes (RFC 1951, section 3.2.4).
    static func deflate(_ bytes: [UInt8]) -> [UInt8] {
        let count = UInt16(bytes.count)
        return [1] + littleEndian(UInt32(count), 2) + littleEndian(UInt32(~count), 2) + bytes
    }

    /// RFC 1952.
    static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        gzipStart + deflate(bytes) + littleEndian(CRC32.of(bytes), 4) + littleEndian(UInt32(bytes.count), 4)
    }

    /// RFC 1950.
    static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        let (a, b) = bytes.reduce((UInt32(1), UInt32(0))) { sums, byte in
            let a = (sums.0 + UInt32(byte)) % 65_521
            return (a, (sums.1 + a) % 65_521)
        }
        return [0x78, 1] + deflate(bytes) + littleEndian((b << 16 | a).byteSwapped, 4)
    }

    /// Returns a frame of one raw block of at most 128 KB (RFC 8878, section 3.1.1).
    static func zstd(_ bytes: [UInt8]) -> [UInt8] {
        let count = UInt32(bytes.count)
        return [0x28, 0xB5, 0x2F, 0xFD, 0xA0] + littleEndian(count, 4) + littleEndian(1 | count << 3, 3) + bytes
    }

    /// 64 KB that decompress to 10 MB: a zero, then runs of 258 zeros in a block with fixed codes (RFC 1951, section
    /// 3.2.6).
    static let bomb: [UInt8] = {
        var (bytes, bits, count) = (gzipStart, UInt32(0), UInt32(0))
        func put(_ value: UInt32, _ width: UInt32) {
            // Huffman codes begin with their highest bit.
            for bit in (0..<width).reversed() {
                bits |= (value >> bit & 1) << count
                count += 1
                if count == 8 {
                    bytes.append(UInt8(bits))
                    (bits, count) = (0, 0)
                }
            }
        }
        put(0b110, 3)
        put(0b0011_0000, 8)
        for _ in 0..<40_000 {
            put(0b1100_0101, 8)
            put(0, 5)
        }
        return bytes
    }()

    private static func littleEndian(_ value: UInt32, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
