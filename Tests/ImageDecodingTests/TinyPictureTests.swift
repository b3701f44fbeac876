import CalotypeTesting
import ImageCore
import ImageDecoding
import Testing

/// Which decodes the built-in decoders call short enough to run where the bytes arrived.
@Suite struct TinyPictures {
    private func file(_ width: Int, _ height: Int, as format: ImageFormat) throws -> Data {
        try EncoderRegistry().encode(
            TestPictures.solid(width: width, height: height, red: 200), as: format, options: EncodeOptions())
    }

    private func isShort(_ data: Data) -> Bool { DecoderRegistry().decodesInline(data, options: DecodeOptions()) }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp])
    func anIconIsShort(format: ImageFormat) throws {
        #expect(isShort(try file(64, 64, as: format)))
        // One row more, of one colour: its file is small as well.
        #expect(!isShort(try file(64, 65, as: format)))
        #expect(!isShort(try file(1, 5000, as: format)))
    }

    @Test func aLargeFileIsNotShortHoweverSmallItsPicture() throws {
        let small = try file(8, 8, as: .jpeg)
        #expect(isShort(small + Data(count: 4096 - small.count)))
        #expect(!isShort(small + Data(count: 4097 - small.count)))
    }

    @Test func aCodecThatTakesLongToStartIsNotShort() throws { #expect(!isShort(try file(8, 8, as: .avif))) }

    @Test func whatCannotBeReadIsNotShort() throws {
        #expect(!isShort(Data()))
        #expect(!isShort(Data([1, 2, 3])))
        #expect(!isShort(try file(8, 8, as: .png).prefix(20)))
    }
}
