import Foundation
import ImageCore
import Testing

/// FEATURES 1.13: the common requests in one line.
@Suite struct Requests {
    private struct Named: Processing {
        let identifier: String
        func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage { image }
    }

    private let url = URL(string: "https://example.org/cat.jpg")!

    @Test func whatIsNotNamedIsLeftToTheOptions() {
        #expect(ImageRequest(url: url).options.isEmpty)
        #expect(ImageRequest(data: Data([1])).options.isEmpty)
        let options = OptionLayer {
            $0.targetSize = PixelSize(7)
            $0.contentMode = .exact
            $0.processors = [Named(identifier: "a")]
            $0.priority = .high
        }
        let request = ImageRequest(url: url, options: options)
        #expect(request.options.targetSize == PixelSize(7) && request.options.contentMode == .exact)
        #expect(request.options.processors?.map(\.identifier) == ["a"] && request.options.priority == .high)
    }

    @Test func whatIsNamedOverridesTheOptions() {
        let options = OptionLayer {
            $0.targetSize = PixelSize(7)
            $0.processors = [Named(identifier: "a")]
            $0.priority = .high
        }
        for request in [
            ImageRequest(
                url: url, size: PixelSize(9), contentMode: .fill, processors: [Named(identifier: "b")], options: options),
            ImageRequest(
                data: Data([1]), size: PixelSize(9), contentMode: .fill, processors: [Named(identifier: "b")], options: options),
        ] {
            #expect(request.options.targetSize == PixelSize(9) && request.options.contentMode == .fill)
            #expect(request.options.processors?.map(\.identifier) == ["b"] && request.options.priority == .high)
        }
    }

    @Test func theIdOfDataIsItsDigest() {
        let request = ImageRequest(data: Data("abc".utf8))
        // FIPS 180-4, the first example of SHA-256.
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(request.resource == ResourceKey("bytes:sha256-" + digest))
        #expect(request.resource == ImageRequest(data: Data("abc".utf8)).resource)
        #expect(request.resource != ImageRequest(data: Data("abd".utf8)).resource)
    }

    @Test func requestsWithEqualPartsAreEqual() throws {
        let pixels = DecodedImage(try unsafe Bitmap(size: PixelSize(1), format: .rgba8, alpha: .opaque) { _, _ in })
        func request(_ change: (inout ImageRequest) -> Void = { _ in }) -> ImageRequest {
            var request = ImageRequest(
                url: url, size: PixelSize(9), processors: [Named(identifier: "a")],
                options: OptionLayer {
                    $0.timeout = .seconds(5)
                    $0.setToNone(\.deadline)
                    $0.placeholder = .image(pixels)
                })
            request.fallbacks = [.url(url)]
            change(&request)
            return request
        }
        #expect(request() == request() && Set([request(), request()]).count == 1)
        let others: [(inout ImageRequest) -> Void] = [
            { $0.options.timeout = .seconds(6) }, { $0.options.timeout = nil }, { $0.options.deadline = .seconds(1) },
            { $0.options.processors = [Named(identifier: "b")] }, { $0.options.processors = [] },
            { $0.options.placeholder = Placeholder.none }, { $0.options.priority = .high },
            { $0.options.modify(\.headers) { $0[.accept] = "*/*" } }, { $0.fallbacks = [] },
            { $0.lowResolution = .url(URL(string: "https://example.org/small.jpg")!) }, { $0.method = .post },
            { $0.owner = LoadOwner("x") }, { $0.purpose = .prefetch },
        ]
        for change in others { #expect(request() != request(change)) }
        // The order in which options were set does not matter, nor how the URL is written.
        var reversed = ImageRequest(url: URL(string: "HTTPS://example.org/cat.jpg#top")!)
        reversed.fallbacks = [.url(url)]
        reversed.options.placeholder = .image(pixels)
        reversed.options.setToNone(\.deadline)
        reversed.options.timeout = .seconds(5)
        reversed.options.processors = [Named(identifier: "a")]
        reversed.options.targetSize = PixelSize(9)
        #expect(request() == reversed)
    }

    @Test func sizesInPointsAreRoundedToPixels() {
        #expect(PixelSize(320) == PixelSize(width: 320, height: 320))
        #expect(PixelSize(width: 60, height: 40, scale: 3) == PixelSize(width: 180, height: 120))
        #expect(PixelSize(60, scale: 2) == PixelSize(120))
        #expect(PixelSize(width: 33.3, height: 1.1, scale: 10) == PixelSize(width: 333, height: 11))
        #expect(PixelSize(width: 0.2, height: 0.25, scale: 2) == PixelSize(width: 0, height: 1))
    }

    @Test(arguments: [(Double.nan, 0), (-1, 0), (-.infinity, 0), (.infinity, Int.max), (1e300, Int.max)])
    func sizesThatNoScreenHasDoNotTrap(_ side: Double, _ pixels: Int) {
        #expect(PixelSize(side, scale: 2) == PixelSize(pixels))
        #expect(PixelSize(width: 1, height: 1, scale: side) == PixelSize(pixels))
    }

    @Test func aFailureTellsItsDetailsWithoutItsError() {
        let failure = LoadFailure.failed(ImageError(.httpStatus, message: "Gone.", status: 410))
        #expect(!failure.isCancelled && failure.code == .httpStatus && failure.category == .network && failure.status == 410)
        let cancelled = LoadFailure.cancelled
        #expect(cancelled.isCancelled && cancelled.code == nil && cancelled.category == nil && cancelled.status == nil)
    }
}
