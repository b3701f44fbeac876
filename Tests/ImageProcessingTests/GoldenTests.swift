import ImageCore
import ProjectFiles
import ImageKernels
import ImageProcessing
import ProcessorParsing
import Testing

/// Compares the result of each processor with a reviewed image in `Tests/Fixtures/Processors`, a PAM file.
/// `CALOTYPE_WRITE_GOLDENS=1 swift test --filter GoldenTests` writes the images again.
@Suite struct GoldenTests {
    static let lists = [
        "resize": "resize(24x24)", "resize-fill": "resize(20x24,fill)", "resize-linear": "resize(24x24,linear=true)",
        "crop": "crop(6,4,20,16)", "crop-gravity": "crop-to(20x16,bottom-right)", "crop-attention": "crop-to(1:1,attention)",
        "trim": "pad(44x38,white) trim", "pad": "pad(44x38,#2060c0)", "rotate": "rotate(20)", "rotate-90": "rotate(90)",
        "flip": "flip", "grayscale": "grayscale", "sepia": "sepia", "tint": "tint(#40c0ff)", "brightness": "brightness(0.2)",
        "contrast": "contrast(1.6)", "saturation": "saturation(2)", "gamma": "gamma(2)", "invert": "invert",
        "background": "background(#ff8000)", "round": "round(10,top-right=2)", "circle": "circle", "border": "border(3,#c00000)",
        "overlay": "overlay(mark,bottom-right,0.7,2)", "overlay-tiled": "overlay(mark,tiled,0.5,4)", "blur": "blur(2)",
        "blur-wide": "blur(14)", "sharpen": "sharpen(1.5,2)", "pixelate": "pixelate(5)",
    ]

    /// A bright sky above dark ground, a sun with a hard edge, stripes, and a corner that becomes transparent.
    static func scene() -> DecodedImage {
        SampleImage.make(40, 30) { x, y in
            var color = y < 18 ? (90 + 3 * x, 140 + 2 * x, 250 - 3 * y) : (60 + 2 * y, 120 - y, 30)
            if (x - 12) * (x - 12) + (y - 9) * (y - 9) < 36 { color = (255, 220, 40) }
            if y >= 18, (x / 2) % 2 == 0 { color = (color.0 / 2, color.1 / 2, color.2 / 2) }
            let alpha = min(255, max(0, (x + y) * 16 - 80))
            return (color.0 * alpha / 255, color.1 * alpha / 255, color.2 * alpha / 255, alpha)
        }
    }

    private static let folder = ProjectFiles.fixtures.appending(path: "Processors")

    @Test func everyProcessorHasAnImage() {
        let shown = Self.lists.values.flatMap { $0.split(separator: " ") }.map { String($0.prefix { $0 != "(" }) }
        #expect(Set(shown) == Set(ProcessorList.names))
    }

    @Test(arguments: lists.keys.sorted())
    func resultsEqualTheReviewedImages(name: String) throws {
        let mark = SampleImage.make(6, 6) { x, y in (x - y).magnitude < 2 || x + y == 5 ? (255, 255, 255, 255) : (0, 0, 0, 128) }
        var image = Self.scene()
        for processor in try ProcessorList.parse(Self.lists[name] ?? "", image: { _ in mark }) {
            image = try processor.process(image, context: ProcessingContext())
        }
        let made = PortableMap(image.bitmap)
        let file = Self.folder.appending(path: "\(name).pam")
        if ProcessInfo.processInfo.environment["CALOTYPE_WRITE_GOLDENS"] != nil { try made.data.write(to: file) }
        let golden = try #require(PortableMap(try Data(contentsOf: file)))
        #expect(made.header == golden.header)
        let distance = zip(made.samples, golden.samples).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
        #expect(distance <= 2)
    }
}

/// A PAM file (netpbm) of RGBA samples, as stored: premultiplied.
private struct PortableMap {
    let header: String
    let samples: [UInt8]

    init(_ bitmap: Bitmap) {
        header = "P7\nWIDTH \(bitmap.width)\nHEIGHT \(bitmap.height)\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
        samples = unsafe bitmap.withUnsafePixels { pixels in
            (0..<bitmap.height).flatMap { y in
                unsafe Array(pixels[y * bitmap.bytesPerRow..<y * bitmap.bytesPerRow + bitmap.width * 4])
            }
        }
    }

    init?(_ data: Data) {
        guard let end = data.firstRange(of: Data("ENDHDR\n".utf8)) else { return nil }
        header = String(decoding: data[..<end.upperBound], as: UTF8.self)
        samples = Array(data[end.upperBound...])
    }

    var data: Data { Data(header.utf8) + Data(samples) }
}
