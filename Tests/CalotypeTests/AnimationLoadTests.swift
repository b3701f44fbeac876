import Calotype
import CalotypeTesting
import Foundation
import HTTPTypes
import Testing

/// Animated files of several formats through the standard loader.
@Suite(.timeLimit(.minutes(1))) struct AnimatedFileLoads {
    private func corner(_ image: DecodedImage) -> [UInt8] { Array(TestImages.pixel(of: image, x: 0, y: 0)[..<3]) }

    private func loader() -> ImageLoader { makeStandardLoader(disk: LoggedDataCache()) }

    @Test func aGIFIsLoadedWithItsFrames() async throws {
        let file = try #require(flagGIF)
        let image = try await loader().image(for: file, size: PixelSize(width: 12, height: 8))
        let animation = try #require(image.animation)
        #expect(animation.durations == [.milliseconds(100), .milliseconds(200), .milliseconds(300)])
        #expect(animation.loopCount == 0)
        let frames = try await [animation.frame(at: 0), animation.frame(at: 1), animation.frame(at: 2)]
        #expect(frames.map(\.size) == Array(repeating: PixelSize(width: 12, height: 8), count: 3))
        #expect(frames.map(corner) == [[230, 60, 40], [40, 160, 80], [50, 80, 220]])
        #expect(corner(image) == [230, 60, 40])
    }

    @Test func theFramesOfAWebPPassTheProcessors() async throws {
        let animation = try DecoderRegistry(.codecs).animation(of: #require(flagGIF), options: DecodeOptions())
        var options = EncodeOptions()
        options.isLossless = true
        let webp = try #require(try EncoderRegistry(.codecs).encode(animation, as: .webp, options: options))
        let image = try await loader().image(for: webp, processors: [.resize(width: 12), .invert])
        let loaded = try #require(image.animation)
        #expect(try await loaded.frame(at: 2).size == PixelSize(width: 12, height: 8))
        #expect(try await corner(loaded.frame(at: 2)) == [205, 175, 35])
        #expect(corner(image) == [25, 195, 215])
    }

    /// An animation comes back from disk with every policy (FEATURES 7.9).
    @Test(arguments: DiskStorage.allCases, [false, true])
    func theOriginalOfAnAnimationIsStored(storage: DiskStorage, isProcessed: Bool) async throws {
        let file = try #require(flagGIF)
        let network = ScriptedLoader { _ in
            .response(HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"]), chunks: [file])
        }
        let disk = LoggedDataCache()
        let loader = makeStandardLoader(disk: disk) {
            $0.network = network
            $0.options.diskStorage = storage
        }
        var request = ImageRequest(url: URL(string: "https://example.org/flag.gif")!)
        if isProcessed { request.options.processors = [.resize(width: 12), .invert] }
        #expect(try await loader.response(for: request).tier == .network)
        try await loader.flush()
        #expect(disk.keys.count == 1)
        let response = try await loader.response(for: request)
        #expect(response.tier == .disk)
        #expect(response.image.animation?.frameCount == 3)
        #expect(network.requests.count == 1)
    }

    /// The loop count of a GIF says how often it is repeated after it was shown once, in browsers as here.
    @Test func aGIFIsShownOnceMoreThanItIsRepeated() async throws {
        var file = try #require(flagGIF)
        func convertedLoopCount() throws -> Int {
            let animation = try DecoderRegistry(.codecs).animation(of: file, options: DecodeOptions())
            let webp = try #require(try EncoderRegistry(.codecs).encode(animation, as: .webp, options: EncodeOptions()))
            return try DecoderRegistry(.codecs).animation(of: webp, options: DecodeOptions()).loopCount
        }
        let netscape = try #require(file.range(of: Data("NETSCAPE2.0".utf8)))
        file[netscape.upperBound + 2] = 2
        #expect(try await loader().image(for: file).animation?.loopCount == 3)
        #expect(try convertedLoopCount() == 3)
        // Without the count, it is shown once.
        file.replaceSubrange(netscape, with: Data("UNKNOWN-1.0".utf8))
        #expect(try await loader().image(for: file).animation?.loopCount == 1)
        #expect(try convertedLoopCount() == 1)
    }
}
