import CalotypeTesting
import Dispatch
import ImageCore
import ImageKernels
import ImageProcessing

private func proof(
    _ rule: String, _ what: String, _ work: @escaping @Sendable (DecodedImage, ProcessingContext) throws -> DecodedImage
) -> Proof {
    Proof("Processing.\(rule)", what) { try checkProcessingConformance { RecordingProcessor("broken", work: work) } }
}

/// A processor that halves an image and reduces its decode, with a fault.
private struct Half: FusingProcessing {
    /// How much brighter the result of the reduced decode is.
    var brightness = 0.0
    /// How many times smaller than the result the decode is.
    var reduction = 1
    var identifier: String { "half" }
    var reducesDecode: Bool { true }
    func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        try half(of: image.size).process(image, context: context)
    }
    func reducedDecode(of source: PixelSize) -> ReducedDecode? {
        let target = PixelSize(width: source.width / 2 / reduction, height: source.height / 2 / reduction)
        let resize: any Processing = .resize(
            to: PixelSize(width: source.width / 2, height: source.height / 2), mode: .fill, upscales: true)
        return ReducedDecode(
            targetSize: target, contentMode: .fit, processor: Composition([resize, .brightness(brightness)]))
    }
    private func half(of size: PixelSize) -> any Processing {
        .resize(to: PixelSize(width: max(1, size.width / 2), height: max(1, size.height / 2)))
    }
}

private let sepia: any Processing = .sepia()

let processingProofs = [
    Proof("Processing.hasIdentifier", "no identifier") { try checkProcessingConformance { RecordingProcessor("") } },
    Proof("Processing.hasIdentifier", "a new identifier each time") {
        let names = Lock(0)
        try checkProcessingConformance {
            RecordingProcessor("\(names.withLock { $0 += 1; return $0 })")
        }
    },
    Proof("Processing.namesParameters", "the identifier lacks a parameter") {
        try checkProcessingConformance(others: [RecordingProcessor("same") { image, _ in try .init(colorful(3, 3).bitmap) }]) {
            RecordingProcessor("same")
        }
    },
    proof("acceptsSamples", "no grayscale images") { image, _ in
        if image.bitmap.format.channels == 1 { throw ImageError(.unsupportedFeature, message: "No gray.") }
        return image
    },
    proof("leavesImage", "the image is overwritten") { image, _ in
        unsafe image.bitmap.withUnsafePixels { unsafe UnsafeMutableRawBufferPointer(mutating: $0)[0] ^= 0xFF }
        return image
    },
    proof("repeatsResults", "each result differs") { image, _ in
        image.with(try TestImages.solid(red: .random(in: 0...255), green: .random(in: 0...255)).bitmap)
    },
    proof("repeatsResults", "several threads give another result") { image, context in
        context.threads > 1 ? image.with(try TestImages.solid(red: 9).bitmap) : image
    },
    proof("returnsPremultiplied", "a straight image") { image, _ in image.with(image.bitmap.reinterpreted(alpha: .straight)) },
    proof("returnsPremultiplied", "colours above their alpha") { image, _ in
        image.with(
            try unsafe Bitmap(size: image.size, format: .rgba8, alpha: .premultiplied) { pixels, _ in
                for index in pixels.indices { unsafe pixels[index] = index % 4 == 3 ? 100 : 200 }
            })
    },
    proof("returnsPremultiplied", "transparent images are marked as opaque") { image, _ in
        image.with(image.bitmap.reinterpreted(alpha: .opaque))
    },
    proof("keepsImage", "a new image instead of image.with") { image, _ in DecodedImage(image.bitmap) },
    proof("keepsImage", "the marks are lost") { image, _ in DecodedImage(image.bitmap, format: image.format) },
    proof("respectsPixelLimit", "the limit is ignored") { image, _ in
        image.with(try TestImages.solid(width: image.size.width * 2, height: image.size.height * 2).bitmap)
    },
    proof("stopsWhenCancelled", "the token is never checked") { image, _ in
        image.with(try TestImages.solid(width: image.size.width, height: image.size.height).bitmap)
    },
    proof("stopsWhenCancelled", "the token of an inner processor is missing") { image, context in
        _ = context.cancellation?.isCancelled
        return try sepia.process(image, context: ProcessingContext())
    },
    proof("stopsWhenCancelled", "cancellation is another error") { image, context in
        if context.cancellation?.isCancelled == true { throw ImageError(.corrupt, message: "Stopped.") }
        return image
    },
    Proof("Processing.fuses", "fused twice is once") {
        struct Wrong: FusingProcessing {
            var identifier: String { "wrong" }
            func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
                try Flip(.vertical).process(image, context: context)
            }
            func fused(with next: any Processing) -> (any Processing)? { self }
        }
        try checkProcessingConformance { Wrong() }
    },
    Proof("Processing.reducesDecode", "the reduced decode is brighter") {
        try checkProcessingConformance { Half(brightness: 0.3) }
    },
    Proof("Processing.reducesDecode", "the decode is too small") { try checkProcessingConformance { Half(reduction: 8) } },
    Proof("Processing.repeatsResults", "it never ends") {
        // It ends with the test, which waits for no one.
        let gate = DispatchSemaphore(value: 0)
        defer { gate.signal() }
        let calls = Lock(0)
        try checkProcessingConformance(limit: .milliseconds(200)) {
            RecordingProcessor("hangs") { image, _ in
                if calls.withLock({
                    $0 += 1; return $0
                }) == 2 {
                    gate.wait()
                }
                return image
            }
        }
    },
]
