import ImageCore
import ImageDecoding
import TestBitmaps
import Testing

@testable import ImageCodecs

/// Sequences with unusual boxes: three frames of 20 × 13 pixels, of which the first is a key frame.
@Suite struct AVIFSequenceTests {
    private let file = FileBoxes.seed("avif/sequence.avif")

    @Test(arguments: [UInt8(0x7F), 0xFF])
    func anEndlessDurationRepeatsEndlessly(first: UInt8) throws {
        var file = file
        let header = try #require(file.range(of: "moov", "trak", "tkhd"))
        file.replaceSubrange(
            (header.lowerBound + 28)..<(header.lowerBound + 36), with: [first] + Array(repeating: 0xFF, count: 7))
        #expect(try DecoderRegistry(.codecs).animation(of: file, options: DecodeOptions()).loopCount == 0)
    }

    /// A sequence whose track is a video says nothing about repetitions, and plays endlessly.
    @Test
    func aSequenceWithoutAnImageTrackRepeatsEndlessly() throws {
        var file = file
        let handler = try #require(file.range(of: "moov", "trak", "mdia", "hdlr"))
        file.replaceSubrange((handler.lowerBound + 8)..<(handler.lowerBound + 12), with: Data("vide".utf8))
        #expect(try DecoderRegistry(.codecs).animation(of: file, options: DecodeOptions()).loopCount == 0)
    }

    @Test
    func aFrameThatIsWronglyMarkedAsAKeyFrameIsDecodedFromTheStart() throws {
        let played = try DecoderRegistry(.codecs).animation(of: file, options: DecodeOptions())
        let frames = try (0..<3).map { try played.frame(at: $0).bitmap.all }
        var file = file
        let keys = try #require(file.range(of: "moov", "trak", "mdia", "minf", "stbl", "stss"))
        file.replaceSubrange((keys.lowerBound + 8)..<keys.upperBound, with: FileBoxes.big(3, 4))
        let animation = try DecoderRegistry(.codecs).animation(of: file, options: DecodeOptions())
        for index in [2, 0, 2, 1, 2] { #expect(try animation.frame(at: index).bitmap.all == frames[index], "frame \(index)") }
        #expect(try AVIFDecoder().decode(file, options: .with { $0.frame = 2 }).bitmap.all == frames[2])
    }

    @Test(arguments: [4, 1000, 0x7FFF_FFFF])
    func aSampleCountBeyondTheFilesSamplesIsIgnored(count: Int) throws {
        var file = file
        let sizes = try #require(file.range(of: "moov", "trak", "mdia", "minf", "stbl", "stsz"))
        file.replaceSubrange((sizes.lowerBound + 8)..<(sizes.lowerBound + 12), with: FileBoxes.big(count, 4))
        let error = #expect(throws: ImageError.self) {
            let animation = try DecoderRegistry(.codecs).animation(of: file, options: DecodeOptions())
            #expect(animation.frameCount <= 3)
            _ = try animation.frame(at: 3)
        }
        #expect(error.map { [.corrupt, .truncated, .invalidRequest].contains($0.code) } == true)
    }

    private static let alpha = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"
    private static let depth = "urn:mpeg:mpegB:cicp:systems:auxiliary:depth"

    /// The sequence with auxiliary tracks of the same pixels, which may declare a type.
    private func file(auxiliary types: [String?]) throws -> Data {
        let place = try #require(file.range(of: "moov"))
        let movie = Data(file[place])
        let track = Data(try #require(ISOBoxes.first("trak", in: movie)))
        let tracks = types.enumerated().map { index, type in
            var content = FileBoxes.edit(track, ["tkhd"]) { $0.prefix(20) + FileBoxes.big(index + 2, 4) + $0.dropFirst(24) }
            content = FileBoxes.edit(content, ["mdia", "hdlr"]) { $0.prefix(8) + Data("auxv".utf8) + $0.dropFirst(12) }
            content = FileBoxes.edit(content, ["mdia", "minf", "stbl", "stsd"]) { entries in
                let said = type.map { FileBoxes.box("auxi", Data(count: 4) + Data($0.utf8) + Data(count: 1)) } ?? Data()
                return entries.prefix(8) + FileBoxes.edit(Data(entries.dropFirst(8)), ["av01"]) { $0 + said }
            }
            return FileBoxes.box("trak", content + FileBoxes.box("tref", FileBoxes.box("auxl", FileBoxes.big(1, 4))))
        }
        var result = file
        result.replaceSubrange((place.lowerBound - 4)..<place.lowerBound, with: Data("free".utf8))
        return result + FileBoxes.box("moov", tracks.reduce(movie, +))
    }

    @Test
    func anAuxiliaryTrackThatIsNotAlphaIsNotTransparency() throws {
        let changed = try file(auxiliary: [Self.depth])
        #expect(try AVIFDecoder().info(of: changed, limits: DecodingLimits()).hasAlpha == false)
        let (plain, found) = (
            try DecoderRegistry(.codecs).animation(of: file, options: DecodeOptions()),
            try DecoderRegistry(.codecs).animation(of: changed, options: DecodeOptions())
        )
        for index in 0..<3 {
            let (expected, bitmap) = (try plain.frame(at: index).bitmap, try found.frame(at: index).bitmap)
            #expect(bitmap.alpha == .opaque)
            #expect(bitmap.all == expected.all, "frame \(index)")
        }
    }

    @Test(arguments: [[alpha], [nil], ["urn:mpeg:hevc:2015:auxid:1"], [alpha, depth]])
    func anAuxiliaryTrackOfAlphaIsTransparency(types: [String?]) throws {
        let changed = try file(auxiliary: types)
        #expect(try AVIFDecoder().info(of: changed, limits: DecodingLimits()).hasAlpha)
        #expect(
            try DecoderRegistry(.codecs).animation(of: changed, options: DecodeOptions()).frame(at: 1).bitmap.alpha != .opaque)
    }

    @Test
    func alphaBehindAnotherAuxiliaryTrackIsReportedAsUnsupported() throws {
        let changed = try file(auxiliary: [Self.depth, Self.alpha])
        let error = #expect(throws: ImageError.self) { try AVIFDecoder().decode(changed, options: DecodeOptions()) }
        #expect(error?.code == .unsupportedFeature)
    }
}
