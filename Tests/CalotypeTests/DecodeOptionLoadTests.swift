import Calotype
import CalotypeTesting
import Foundation
import LoopbackHTTP
import ProjectFiles
import Testing

/// Options of the decode, from a file to the image of a load (FEATURES 8.3).
@Suite(.timeLimit(.minutes(1))) struct DecodeOptionsOfLoads {
    /// 6 × 4 pixels of one colour with 16 bits per channel, half transparent, in a profile with wider primaries than
    /// sRGB.
    private static let wide = ProjectFiles.fixtures.appending(path: "wide-16-bit-clear.png")
    private static let stored: [UInt16] = [30_000, 45_000, 20_000, 32_768]
    /// The same colour in sRGB: through the profile's curve (2.199) and primaries, and sRGB's curve. Not premultiplied.
    private static let converted: [UInt16] = [25_106, 45_891, 14_993, 32_768]

    private let loader = makeStandardLoader(memory: MemoryCache(), disk: LoggedDataCache())

    private func image(_ source: ImageSource, _ set: (inout OptionLayer) -> Void = { _ in }) async throws -> DecodedImage {
        try await loader.image(for: ImageRequest(source, options: OptionLayer(set)))
    }

    /// Checks the first pixel against one of 16 bits per channel, premultiplied if the image is.
    private func expect(
        _ image: DecodedImage, is pixel: [UInt16], within tolerance: Double = 0.009,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let bytes = TestImages.pixel(of: image, x: 0, y: 0)
        let isDeep = image.bitmap.format == .rgba16
        let found = (0..<4).map {
            isDeep ? Double(Int(bytes[2 * $0]) | Int(bytes[2 * $0 + 1]) << 8) / 65_535 : Double(bytes[$0]) / 255
        }
        var wanted = pixel.map { Double($0) / 65_535 }
        if image.bitmap.alpha == .premultiplied { for c in 0..<3 { wanted[c] *= wanted[3] } }
        #expect(zip(found, wanted).allSatisfy { abs($0 - $1) <= tolerance }, "\(found) \(wanted)", sourceLocation: sourceLocation)
    }

    @Test func aLoadIsConvertedToPremultipliedSRGBOfEightBits() async throws {
        let bitmap = try await image(.url(Self.wide))
        #expect(bitmap.bitmap.format == .rgba8 && bitmap.bitmap.alpha == .premultiplied && bitmap.bitmap.colorSpace == .sRGB)
        expect(bitmap, is: Self.converted)
    }

    @Test func theProfileOfTheFileIsKept() async throws {
        let kept = try await image(.url(Self.wide)) { $0.convertsToSRGB = false }
        guard case .icc(let profile) = kept.bitmap.colorSpace else { return #expect(Bool(false), "\(kept.bitmap)") }
        // The signature of a profile (ICC.1, section 7.2).
        #expect(profile.dropFirst(36).prefix(4) == Data("acsp".utf8))
        expect(kept, is: Self.stored)
    }

    @Test func sixteenBitsAreKept() async throws {
        let deep = try await image(.url(Self.wide)) { $0.convertsTo8Bit = false }
        #expect(deep.bitmap.format == .rgba16 && deep.bitmap.colorSpace == .sRGB)
        expect(deep, is: Self.converted, within: 0.002)
    }

    @Test func theAlphaIsKeptStraight() async throws {
        let straight = try await image(.url(Self.wide)) { $0.alpha = .straight }
        #expect(straight.bitmap.alpha == .straight)
        expect(straight, is: Self.converted)
    }

    @Test func thePixelsAreThoseOfTheFile() async throws {
        let stored = try await image(.url(Self.wide)) {
            ($0.convertsToSRGB, $0.convertsTo8Bit, $0.alpha) = (false, false, .straight)
        }
        #expect(stored.size == PixelSize(width: 6, height: 4))
        expect(stored, is: Self.stored, within: 0)
    }

    @Test func theChosenFrameIsDecoded() async throws {
        let file = ImageSource.bytes(try #require(flagGIF), id: "flag")
        var colors: [[UInt8]] = []
        for frame in 0..<3 { colors.append(TestImages.color(of: try await image(file) { $0.frame = frame })) }
        #expect(colors == [[230, 60, 40], [40, 160, 80], [50, 80, 220]])
        await #expect {
            _ = try await image(file) { $0.frame = 3 }
        } throws: { ($0 as? LoadFailure)?.error?.code == .invalidRequest }
    }

    @Test func theOrientationIsAppliedOrKept() async throws {
        let arrow = ImageSource.url(ProjectFiles.gallery.appending(path: "arrow.jpg"))
        #expect(try await image(arrow).size == PixelSize(width: 240, height: 360))
        #expect(try await image(arrow) { $0.appliesOrientation = false }.size == PixelSize(width: 360, height: 240))
    }

    @Test func aTruncatedFileIsAPartialImageOnlyIfTheOptionAllowsIt() async throws {
        let file = try Data(contentsOf: ProjectFiles.gallery.appending(path: "badge.png"))
        let cut = ImageSource.bytes(file.prefix(file.count / 2), id: "cut")
        #expect(try await image(cut) { $0.allowsPartial = true }.isPartial)
        await #expect(throws: LoadFailure.self) { try await image(cut) }
    }

    /// A finished image on disk has what its load kept, and other loads do not get it.
    @Test(arguments: [true, false], [true, false])
    func aFinishedImageOnDiskKeepsProfileDepthAndAlpha(isDeep: Bool, isStraight: Bool) async throws {
        let file = [UInt8](try Data(contentsOf: Self.wide))
        let server = try LoopbackServer(serving: { _ in .init(200, headers: [("Cache-Control", "max-age=600")], body: file) })
        defer { server.stop() }
        let disk = LoggedDataCache()
        func load(_ set: (inout OptionLayer) -> Void) async throws -> ImageResponse {
            // Another loader each time: with an empty memory cache, as after a restart.
            let loader = makeStandardLoader(disk: disk) { $0.options.diskStorage = .processedImages }
            let response = try await loader.response(
                for: ImageRequest(url: URL(string: server.url("/wide.png"))!, options: OptionLayer(set)))
            try await loader.flush()
            return response
        }
        let set: (inout OptionLayer) -> Void = {
            $0.convertsToSRGB = false
            $0.convertsTo8Bit = !isDeep
            $0.alpha = isStraight ? .straight : .premultiplied
        }
        let tiers = [CacheTier.network, .disk]
        for tier in tiers {
            let response = try await load(set)
            #expect(response.tier == tier)
            let bitmap = response.image.bitmap
            #expect(bitmap.format == (isDeep ? .rgba16 : .rgba8) && bitmap.alpha == (isStraight ? .straight : .premultiplied))
            #expect(bitmap.colorSpace != .sRGB)
            expect(response.image, is: Self.stored)
        }
        let other = try await load { _ in }
        #expect(other.tier == .network)
        expect(other.image, is: Self.converted)
    }
}
