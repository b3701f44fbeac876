import ImageCore
import ImageDecoding
import Testing

@Suite struct HashTests {
    @Test
    func blurHashesAreThoseOfAnotherProgram() throws {
        let lines = DecodingVectors.lines("blur")
        #expect(lines.count == 4)
        for fields in lines {
            let numbers = fields.prefix(4).compactMap { Int($0) }
            let picture = try DecodingVectors.picture(numbers[0], numbers[1], isClear: false)
            #expect(try BlurHash.encode(DecodedImage(picture), across: numbers[2], down: numbers[3]) == fields[4])
            let decoded = try BlurHash.decode(fields[4], size: PixelSize(width: 5, height: 4)).bitmap
            let wanted = DecodingVectors.numbers(fields[5])
            let found = decoded.all.flatMap { $0.prefix(3) }
            #expect(zip(found, wanted).allSatisfy { abs($0 - $1) <= 1 }, "\(found), not \(wanted)")
            #expect(decoded.alpha == .opaque)
        }
    }

    @Test
    func thumbHashesAreThoseOfAnotherProgram() throws {
        let lines = DecodingVectors.lines("thumb")
        #expect(lines.count == 5)
        for fields in lines {
            let numbers = fields.prefix(3).compactMap { Int($0) }
            let picture = try DecodingVectors.picture(numbers[0], numbers[1], isClear: numbers[2] == 1)
            let hash = try ThumbHash.encode(DecodedImage(picture))
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

    @Test
    func aLargePictureHasTheHashOfASmallOne() throws {
        let (large, small) = (try photo(900, 600), try photo(90, 60))
        let (a, b) = (try BlurHash.encode(DecodedImage(large)), try BlurHash.encode(DecodedImage(small)))
        let difference = try BlurHash.decode(a).bitmap.difference(to: BlurHash.decode(b).bitmap)
        #expect(difference.mean < 4)
        #expect(try ThumbHash.decode(ThumbHash.encode(DecodedImage(large))).size == PixelSize(width: 32, height: 23))
    }

    @Test
    func whatIsNoHashIsATypedError() throws {
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
    func aHashIsAPlaceholder() throws {
        if case .image(let image) = Placeholder.blurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj") {
            #expect(image.size == PixelSize(width: 32, height: 32))
        } else {
            Issue.record("no picture")
        }
        if case .image(let image) = Placeholder.thumbHash(try ThumbHash.encode(DecodedImage(try photo(40, 20)))) {
            #expect(image.size.width == 32)
        } else {
            Issue.record("no picture")
        }
        if case .image = Placeholder.blurHash("no hash") { Issue.record("a picture of nothing") }
    }
}
