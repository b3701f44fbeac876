import ImageCore
import ImageDecoding
import ProjectFiles
import ImageCodecs
import Testing

/// Files that the fuzzer found, each named after its fault. The test decodes them in all ways that the fuzzer does.
@Suite struct FuzzFindTests {
    private static let folder = ProjectFiles.fixtures.appending(path: "Finds")

    static let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path()))?.sorted() ?? []

    @Test
    func thereAreCrashFiles() { #expect(!Self.names.isEmpty) }

    @Test(arguments: names)
    func everyCrashFileGivesTheSameImageInEveryWayOrATypedError(name: String) throws {
        let file = try Data(contentsOf: Self.folder.appending(path: name))
        let registry = DecoderRegistry(.codecs)
        for number in 0..<96 {
            var options = DecodeOptions()
            options.limits.pixels = 1 << 20
            options.limits.imageBytes = 1 << 25
            options.targetSize = [nil, PixelSize(width: 3, height: 40), PixelSize(width: 20, height: 5)][number % 3]
            options.contentMode = ImageContentMode.allCases[number / 3 % 3]
            options.allowsPartial = number & 1 == 0
            options.alpha = number & 2 == 0 ? .straight : .premultiplied
            (options.convertsToSRGB, options.convertsTo8Bit) = (number & 4 == 0, number & 8 == 0)
            let whole = try decoded { try registry.decode(file, options: options) }
            var cancellable = options
            cancellable.cancellation = CancellationToken()
            let other = try decoded { try registry.decode(file, options: cancellable) }
            #expect(other?.isPartial == whole?.isPartial, "\(name), options \(number)")
            if let other, let whole { #expect(other.bitmap.isSame(as: whole.bitmap), "\(name), options \(number)") }
            _ = try decoded { try registry.previews(of: file, piece: 1 + number, options: options).last }
            _ = try decoded { () -> DecodedImage? in
                let animation = try DecoderRegistry(.codecs).animation(of: file, options: options)
                return try animation.frame(at: min(animation.frameCount, 30) - 1)
            }
        }
    }

    private func decoded(_ body: () throws -> DecodedImage?) throws -> DecodedImage? {
        do { return try body() } catch is ImageError { return nil }
    }
}
