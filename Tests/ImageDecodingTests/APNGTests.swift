import Foundation
import ImageCore
import Testing

@testable import ImageDecoding

@Suite("Animated PNG") struct APNGTests {
    /// A file of 4x4 pixels that announces `announced` frames and holds `count`, the first of which is the default image.
    private static func animation(announced: Int, count: Int) -> Data {
        let size = PixelSize(width: 4, height: 4)
        func control(_ sequence: Int) -> [UInt8] {
            let place = big(4) + big(4) + big(0) + big(0)
            return big(sequence) + place + [0, 1, 0, 10, 0, 0]
        }
        var builder = PNGBuilder(size: size, colorType: .rgb, depth: 8) { x, y in [x * 60, y * 60, 90] }
        builder.chunks = [("acTL", big(announced) + big(0)), ("fcTL", control(0))]
        var file = Data(builder.file.dropLast(12))
        for frame in 1..<count {
            let row = [0] + [UInt8](repeating: UInt8(frame), count: 12)
            file += PNGBuilder.chunk("fcTL", control(2 * frame - 1))
            file += PNGBuilder.chunk("fdAT", big(2 * frame) + PNGBuilder.stored(row + row + row + row))
        }
        return file + PNGBuilder.chunk("IEND", [])
    }

    @Test(arguments: [3, 200, 0x7FFF_FFFF, 0xFFFF_FFFF])
    func anAnnouncedNumberOfFramesBeyondThoseInTheFileIsNotTrusted(announced: Int) throws {
        let file = Self.animation(announced: announced, count: 3)
        #expect(try PNGDecoder().info(of: file, limits: DecodingLimits()).frameCount == 3)
        var options = DecodeOptions()
        options.frame = 2
        #expect(try PNGDecoder().decode(file, options: options).size == PixelSize(width: 4, height: 4))
        options.frame = 3
        let error = #expect(throws: ImageError.self) { try PNGDecoder().decode(file, options: options) }
        #expect(error?.code == .invalidRequest)
    }

    @Test func aFrameThatIsCutOffIsAnErrorAndNotATrap() throws {
        let file = Self.animation(announced: 3, count: 3)
        for length in stride(from: 60, to: file.count, by: 7) {
            for frame in 1..<3 {
                var options = DecodeOptions()
                options.frame = frame
                do {
                    #expect(try PNGDecoder().decode(Data(file.prefix(length)), options: options).size.width == 4)
                } catch {
                    #expect(error is ImageError)
                }
            }
        }
    }

    @Test func theCompositorRefusesAFrameThatTheFileDoesNotHold() throws {
        let file = try APNGFile(Self.animation(announced: 3, count: 2), limits: DecodingLimits())
        let compositor = try Compositor(file, options: DecodeOptions())
        #expect(throws: ImageError.self) { try compositor.show(2) }
        try compositor.show(1)
    }
}
