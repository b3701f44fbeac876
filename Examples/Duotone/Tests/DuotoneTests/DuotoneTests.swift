import CalotypeTesting
import Duotone
import ImageCore
import ImageKernels
import ImageLoading
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DuotoneTests {
    /// In each of the others, one component differs, and by less than a level of 8 bits.
    @Test func theIdentifierNamesEveryComponent() throws {
        let others = [
            PixelColor(red: 0.001, green: 0, blue: 0.4), PixelColor(red: 0, green: 0.001, blue: 0.4),
            PixelColor(red: 0, green: 0, blue: 0.401), navy,
        ]
        let all = others.flatMap { [Duotone(.init(dark: $0, light: cream)), Duotone(.init(dark: cream, light: $0))] }
        #expect(Set(all.map(\.identifier)).count == 8)
    }

    @Test func blackAndWhiteBecomeTheTonesAndGreyLiesBetween() throws {
        func duotone(_ level: UInt8, alpha: UInt8 = 255) throws -> [UInt8] {
            let image = try TestImages.solid(red: level, green: level, blue: level, alpha: alpha)
            let result = try Duotone(.init(dark: navy, light: cream)).process(image, context: ProcessingContext())
            return TestImages.pixel(of: result, x: 3, y: 3)
        }
        #expect(try duotone(0) == [0, 0, 102, 255])
        #expect(try duotone(255) == [255, 204, 153, 255])
        #expect(try duotone(51) == [51, 41, 112, 255])
        // A red pixel has 0.2126 of the luma of white.
        let red = try Duotone(.init(dark: navy, light: cream)).process(TestImages.solid(red: 255), context: ProcessingContext())
        #expect(TestImages.pixel(of: red, x: 0, y: 0) == [54, 43, 113, 255])
        // Premultiplied: half of the colour.
        #expect(try duotone(255, alpha: 128) == [128, 102, 77, 128])
    }

    @Test func sixteenBitsAreKept() throws {
        let size = PixelSize(1)
        let image = DecodedImage(
            try Bitmap(size: size, format: .gray16, alpha: .opaque) { pixels, _ in
                pixels.storeBytes(of: 0x8000, as: UInt16.self)
            })
        let result = try Duotone(.init(dark: .black, light: cream)).process(image, context: ProcessingContext())
        #expect(result.bitmap.format == .rgba16)
        let red = result.bitmap.withUnsafePixels { $0.load(as: UInt16.self) }
        #expect(abs(Int(red) - 0x8000) <= 1)
    }

    @Test func transparentTonesAreRefused() async throws {
        let tones = Duotone.Tones(dark: .clear, light: .white)
        let error = #expect(throws: ImageError.self) {
            try Duotone(tones).process(TestImages.solid(), context: ProcessingContext())
        }
        #expect(error?.code == .invalidRequest)
        // As an option, they end the load before anything is fetched.
        let network = ScriptedLoader { _ in .body(Data([200])) }
        var request = request
        request.options[DuotoneTones.self] = tones
        let failure = await #expect(throws: LoadFailure.self) { try await makeLoader(network).image(for: request) }
        #expect(failure?.description.contains("must be opaque") == true)
        #expect(network.requests.isEmpty)
    }

    /// The tones of the app hold for each request that sets none. Other tones are another image in the cache.
    @Test func aRequestOverridesTheTonesOfTheApp() async throws {
        let (network, cache) = (ScriptedLoader { _ in .body(Data([0])) }, LoggedMemoryCache())
        let configuration = ImageLoader.Configuration(
            dataLoader: network, decoder: ScriptedDecoder(), memoryCache: cache)
        for _ in 0..<2 {
            let (first, second) = try await loadDuotones(url, by: configuration)
            #expect(TestImages.color(of: first) == [0, 0, 102])
            #expect(TestImages.color(of: second) == [255, 204, 153])
        }
        // The second round finds both in the cache.
        #expect(cache.keys.count >= 2 && network.requests.count <= 2)
    }

    private let url = URL(string: "https://example.org/cat.jpg")!

    private var request: ImageRequest {
        ImageRequest(url: url, processors: [.duotone])
    }

    private func makeLoader(
        _ network: ScriptedLoader, _ change: (inout ImageLoader.Configuration) -> Void = { _ in }
    ) -> ImageLoader {
        var configuration = ImageLoader.Configuration(
            dataLoader: network, decoder: ScriptedDecoder(), memoryCache: LoggedMemoryCache())
        change(&configuration)
        return ImageLoader(configuration)
    }
}
