import ImageCore
import TestBitmaps
import ImageDecoding
import Testing

@Suite struct HashTests {
    @Test
    func blurHashesMatchAnotherImplementation() throws {
        let lines = DecodingVectors.lines("blur")
        #expect(lines.count == 4)
        for fields in lines {
            let numbers = fields.prefix(4).compactMap { Int($0) }
            let bitmap = try DecodingVectors.sample(numbers[0], numbers[1], isTransparent: false)
            #expect(try BlurHash.encode(DecodedImage(bitmap), across: numbers[2], down: numbers[3]) == fields[4])
            let decoded = try BlurHash.decode(fields[4], size: PixelSize(width: 5, height: 4)).bitmap
            let wanted = DecodingVectors.numbers(fields[5])
            let found = decoded.all.flatMap { $0.prefix(3) }
            #expect(zip(found, wanted).allSatisfy { abs($0 - $1) <= 1 }, "\(found), not \(wanted)")
            #expect(decoded.alpha == .opaque)
        }
    }

    @Test
    func thumbHashesMatchAnotherImplementation() throws {
        let lines = DecodingVectors.lines("thumb")
        #expect(lines.count == 5)
        for fields in lines {
            let numbers = fields.prefix(3).compactMap { Int($0) }
            let bitmap = try DecodingVectors.sample(numbers[0], numbers[1], isTransparent: numbers[2] == 1)
            let hash = try ThumbHash.encode(DecodedImage(bitmap))
            #expect(hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == fields[3])
            let decoded = try ThumbHash.decode(hash)
            #expect(decoded.size.description == fields[4])
            let (w, h) = (decoded.size.width, decoded.size.height)
            let found = [(0, 0), (w - 1, 0), (0, h - 1), (w - 1, h - 1), (w / 2, h / 2)].map { decoded.bitmap[$0.0, $0.1] }
            let wanted = DecodingVectors.numbers(fields[5])
            for (i, pixel) in found.enumerated() {
                let alpha = wanted[4 * i + 3]
                // The result is premultiplied.
                let expected = (0..<3).map { (wanted[4 * i + $0] * alpha + 127) / 255 } + [alpha]
                #expect(zip(pixel, expected).allSatisfy { abs($0 - $1) <= 1 }, "\(pixel), not \(expected)")
            }
        }
    }

    private func published(_ kind: String) -> [[String]] { DecodingVectors.lines(kind, of: "published-hashes.txt") }

    @Test
    func thePublishedBlurHashesHaveTheirPublishedColours() throws {
        let examples = published("blur-example")
        #expect(examples.count == 2)
        for fields in examples {
            let sides = fields[1].split(separator: "x").compactMap { Int($0) }
            let bitmap = try BlurHash.decode(fields[0], size: PixelSize(width: sides[0], height: sides[1])).bitmap
            let (found, wanted) = (bitmap.all.flatMap { $0.prefix(3) }, DecodingVectors.numbers(fields[2]))
            #expect(found.count == wanted.count)
            #expect(zip(found, wanted).allSatisfy { abs($0 - $1) <= 1 }, "\(fields[0])")
        }
        // A hash of one component is its average colour, a number in base 83.
        for fields in published("blur-number") {
            let color = "00" + String(repeating: "0", count: 4 - fields[2].count) + fields[2]
            let value = try #require(Int(fields[0]))
            #expect(try BlurHash.decode(color).bitmap[0, 0] == [value >> 16, value >> 8 & 255, value & 255, 255])
        }
    }

    @Test
    func imagesHaveTheirPublishedHashes() throws {
        #expect(published("blur").count == 5)
        for fields in published("blur") {
            let numbers = fields.prefix(4).compactMap { Int($0) }
            let bitmap = try DecodingVectors.sample(numbers[0], numbers[1], isTransparent: false)
            #expect(try BlurHash.encode(DecodedImage(bitmap), across: numbers[2], down: numbers[3]) == fields[4])
        }
        #expect(published("thumb").count == 4)
        for fields in published("thumb") {
            let numbers = fields.prefix(2).compactMap { Int($0) }
            let bitmap = try DecodingVectors.sample(numbers[0], numbers[1], isTransparent: false)
            let hash = try ThumbHash.encode(DecodedImage(bitmap))
            #expect(hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == fields[2])
        }
    }

    @Test
    func thePublishedThumbHashHasItsPublishedColours() throws {
        let fields = try #require(published("thumb-example").first)
        let decoded = try ThumbHash.decode(Array(try #require(Data(base64Encoded: fields[0]))))
        #expect(decoded.size.description == fields[1])
        let (pixels, wanted) = (decoded.bitmap.all, DecodingVectors.numbers(fields[2]))
        let average = (0..<4).map { c in pixels.map { $0[c] }.reduce(0, +) / pixels.count }
        // Clamping to a byte and rounding down may lose half a level.
        #expect(zip(average, wanted).allSatisfy { abs($0 - $1) <= 1 }, "\(average), not \(wanted)")
    }

    @Test
    func aLargeImageHasTheHashOfItsSmallVersion() throws {
        let (large, small) = (try photo(900, 600), try photo(90, 60))
        let (a, b) = (try BlurHash.encode(DecodedImage(large)), try BlurHash.encode(DecodedImage(small)))
        let difference = try BlurHash.decode(a).bitmap.difference(to: BlurHash.decode(b).bitmap)
        #expect(difference.mean < 4)
        #expect(try ThumbHash.decode(ThumbHash.encode(DecodedImage(large))).size == PixelSize(width: 32, height: 23))
    }

    @Test
    func aMalformedHashIsATypedError() throws {
        for text in ["", "L", "LEHV6nWB2yk8pyo0adR*.7kCMdn", "~EHV6nWB2yk8pyo0adR*.7kCMdnj", "LEHV6nWB2yk8pyo0adR*.7kCMdn\u{e9}"]
        {
            let error = #expect(throws: ImageError.self, "\(text)") { try BlurHash.decode(text) }
            #expect(error?.code == .corrupt)
        }
        for bytes in [[], [1, 2, 3, 4], [0, 0, 0x80, 0, 0], Array(repeating: UInt8(255), count: 12)] as [[UInt8]] {
            let error = #expect(throws: ImageError.self, "\(bytes)") { try ThumbHash.decode(bytes) }
            #expect(error?.code == .corrupt)
        }
        #expect(throws: ImageError.self) { try BlurHash.decode("00TSUA", size: PixelSize(width: 5000, height: 1)) }
        #expect(throws: ImageError.self) { try BlurHash.encode(DecodedImage(try photo(4, 4)), across: 10) }
    }

    @Test
    func aBlurHashIsDecodedToSidesOf1To1024Pixels() throws {
        for (width, height) in [(1, 1024), (1024, 1)] {
            let size = PixelSize(width: width, height: height)
            #expect(try BlurHash.decode("00TSUA", size: size).size == size)
        }
        for (width, height) in [(1, 1025), (1025, 1), (1, 0), (0, 1)] {
            let error = #expect(throws: ImageError.self) {
                try BlurHash.decode("00TSUA", size: PixelSize(width: width, height: height))
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test
    func aHashCanBeUsedAsAPlaceholder() throws {
        func drawn(_ placeholder: Placeholder) throws -> DecodedImage? {
            if case .hash(let hash) = placeholder { try hash.draw() } else { nil }
        }
        #expect(try drawn(.blurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj"))?.size == PixelSize(32))
        #expect(try drawn(.thumbHash(try ThumbHash.encode(DecodedImage(try photo(40, 20)))))?.size.width == 32)
        // A malformed hash fails when the target draws it, which then shows nothing.
        #expect(throws: ImageError.self) { try drawn(.blurHash("no hash")) }
    }
}
