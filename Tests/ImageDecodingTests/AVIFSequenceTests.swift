import ImageCore
import Testing

@testable import ImageDecoding

/// Sequences whose boxes say what an encoder seldom writes: three frames of 20 × 13, of which the first is a key frame.
@Suite struct AVIFSequenceTests {
    private let file = FileBoxes.seed("avif/sequence.avif")

    @Test(arguments: [UInt8(0x7F), 0xFF])
    func aDurationWithoutEndRepeatsForEver(first: UInt8) throws {
        var file = file
        let header = try #require(file.range(of: "moov", "trak", "tkhd"))
        file.replaceSubrange(
            (header.lowerBound + 28)..<(header.lowerBound + 36), with: [first] + Array(repeating: 0xFF, count: 7))
        #expect(try AnimationDecoder(file).loopCount == 0)
    }
}
