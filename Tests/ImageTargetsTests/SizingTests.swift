import CalotypeTesting
import ImageCodecs
import ImageCore
import ImageDecoding
import ImageLoading
import ImageProcessing
import ImageTargets
import Testing

/// Views size their requests (FEATURES 11.9).
@Suite(.timeLimit(.minutes(1))) struct Sizing {
    /// A view whose size a test sets.
    private actor SizedView: ImageViewAdapter {
        private var size: ViewImageSize
        private(set) var images: [UInt8] = []
        private(set) var events: [String] = []

        init(_ size: ViewImageSize) { self.size = size }

        func resize(to size: ViewImageSize) { self.size = size }
        func imageSize() -> ViewImageSize { size }
        func setImage(_ image: DecodedImage, transition: ImageTransition) {
            images.append(TestImages.pixel(of: image, x: 0, y: 0)[0])
        }
        func clear() { events.append("clear") }
        func setPlaceholder(_ placeholder: Placeholder) { events.append("placeholder") }
        func setLoading(_ isLoading: Bool) { events.append(isLoading ? "loading" : "loaded") }
        func setFailure(_ error: ImageError) { events.append("failure") }
    }

    private let provider = ScriptedProvider()
    private static let url = URL(string: "test://a")!

    private func box(_ width: Int, _ height: Int, _ mode: ImageContentMode = .fill) -> ViewImageSize {
        .box(PixelSize(width: width, height: height), mode)
    }

    /// A view of 40 by 30 pixels that shows its image, and the completions of its request.
    private func viewOfASmallImage() async throws -> (SizedView, ImageTarget<SizedView>, EventLog<Bool>) {
        let view = SizedView(box(40, 30))
        let target = ImageTarget(view, loader: provider)
        let shown = EventLog<Bool>()
        await target.setImage(Self.url) { _ in shown.append(true) }
        provider.loads[0].succeed(try TestImages.solid(red: 1))
        await shown.wait(forCount: 1)
        return (view, target, shown)
    }

    private var sizes: [PixelSize?] { provider.loads.map(\.request.options.targetSize) }

    @Test func aRequestWithoutASizeGetsTheSizeAndTheContentModeOfTheView() async {
        let view = SizedView(box(40, 30))
        let target = ImageTarget(view, loader: provider)
        await target.setImage(Self.url)
        #expect(sizes == [PixelSize(width: 40, height: 30)])
        #expect(provider.loads.map(\.request.options.contentMode) == [.fill])
    }

    @Test func aSizeThatALayerSetsIsKept() async {
        let view = SizedView(box(40, 30))
        let target = ImageTarget(view, loader: provider)
        await target.setImage(Self.url, size: PixelSize(width: 7, height: 8))
        #expect(sizes == [PixelSize(width: 7, height: 8)])
        #expect(provider.loads[0].request.options.contentMode == nil)
    }

    @Test func sizingCanBeSwitchedOff() async {
        let view = SizedView(box(40, 30))
        let target = ImageTarget(view, loader: provider)
        var request = ImageRequest(url: Self.url)
        request.options.sizesToTarget = false
        await target.setImage(request)
        await view.resize(to: box(400, 300))
        await target.viewSizeChanged()
        #expect(sizes == [nil])
    }

    @Test func aLoadWaitsUntilTheViewHasASize() async throws {
        let view = SizedView(.pending)
        let target = ImageTarget(view, loader: provider)
        let ended = EventLog<CacheTier?>()
        await target.setImage(Self.url) { ended.append(try? $0.get().tier) }
        #expect(provider.loads.isEmpty)
        // Neither coming on screen nor a deferred start begins it.
        target.setVisible(false)
        target.setVisible(true)
        #expect(provider.loads.isEmpty)
        await view.resize(to: box(20, 20, .fit))
        await target.viewSizeChanged()
        #expect(sizes == [PixelSize(width: 20, height: 20)])
        provider.loads[0].succeed(try TestImages.solid(red: 5))
        await ended.wait(forCount: 1)
        #expect(await view.images == [5])
    }

    @Test func aMemoryHitIsShownAsSoonAsTheViewHasASize() async throws {
        let view = SizedView(.pending)
        let target = ImageTarget(view, loader: provider)
        provider.cache(try TestImages.solid(red: 9), for: ImageRequest(url: Self.url))
        await target.setImage(Self.url)
        #expect(await view.images.isEmpty)
        await view.resize(to: box(20, 20))
        await target.viewSizeChanged()
        #expect(await view.images == [9])
        #expect(provider.loads.isEmpty)
    }

    @Test func aNewerRequestReplacesOneThatWaitsForASize() async {
        let view = SizedView(.pending)
        let target = ImageTarget(view, loader: provider)
        await target.setImage(Self.url)
        await target.setImage(URL(string: "test://b"))
        await view.resize(to: box(20, 20))
        await target.viewSizeChanged()
        #expect(provider.loads.map(\.request.resource) == [ImageRequest(url: URL(string: "test://b")!).resource])
        await target.clear()
        await view.resize(to: box(200, 200))
        await target.viewSizeChanged()
        #expect(provider.loads.count == 1)
    }

    @Test func aRequestThatWaitsForASizeCancelsTheLoadBeforeIt() async {
        let view = SizedView(box(40, 30))
        let target = ImageTarget(view, loader: provider)
        await target.setImage(Self.url)
        await view.resize(to: .pending)
        await target.setImage(URL(string: "test://b"))
        #expect(provider.loads.map(\.isCancelled) == [true])
    }

    @Test func aViewThatGrowsLoadsTheImageAgainAndKeepsTheSmallOneMeanwhile() async throws {
        let (view, target, shown) = try await viewOfASmallImage()
        let events = await view.events
        await view.resize(to: box(30, 20))
        await target.viewSizeChanged()
        #expect(sizes.count == 1)
        await view.resize(to: box(30, 31))
        await target.viewSizeChanged()
        #expect(sizes.last == PixelSize(width: 30, height: 31))
        // The completion is called once, and the view sees nothing but the larger image.
        provider.loads[1].succeed(try TestImages.solid(red: 2))
        while await view.images.count < 2 { await Task.yield() }
        #expect(await view.images == [1, 2])
        #expect(await view.events == events)
        #expect(shown.events.count == 1)
        // The same request is still the current one.
        await target.setImage(Self.url)
        #expect(sizes.count == 2)
    }

    @Test func theSmallImageStaysIfTheLargeOneCannotBeLoaded() async throws {
        let (view, target, _) = try await viewOfASmallImage()
        let events = await view.events
        await view.resize(to: box(80, 60))
        await target.viewSizeChanged()
        provider.loads[1].fail(ImageError(.connectionLost, message: "The connection was lost."))
        // It may be loaded when the view grows once more, as soon as the target knows of the failure.
        await view.resize(to: box(160, 120))
        while provider.loads.count < 3 {
            await target.viewSizeChanged()
            await Task.yield()
        }
        provider.loads[2].succeed(try TestImages.solid(red: 2))
        while await view.images.count < 2 { await Task.yield() }
        #expect(await view.images == [1, 2])
        #expect(await view.events == events)
    }

    @Test func aViewThatGrowsDuringALoadReplacesIt() async throws {
        let view = SizedView(box(40, 30))
        let target = ImageTarget(view, loader: provider)
        let shown = EventLog<Bool>()
        await target.setImage(Self.url) { _ in shown.append(true) }
        await view.resize(to: box(80, 60))
        await target.viewSizeChanged()
        #expect(provider.loads.map(\.isCancelled) == [true, false])
        provider.loads[1].succeed(try TestImages.solid(red: 3))
        await shown.wait(forCount: 1)
        #expect(await view.images == [3])
        #expect(await view.events.last == "loaded")
    }

    @Test func anotherContentModeLoadsTheImageAgain() async {
        let view = SizedView(box(40, 30, .fit))
        let target = ImageTarget(view, loader: provider)
        await target.setImage(Self.url)
        await view.resize(to: box(40, 30, .fill))
        await target.viewSizeChanged()
        #expect(provider.loads.map(\.request.options.contentMode) == [.fit, .fill])
    }

    // MARK: Processors that need the whole image (FEATURES 11.12)

    private func identifiers(_ processors: [any Processing], in size: ViewImageSize) async -> ([String]?, PixelSize?) {
        let view = SizedView(size)
        let target = ImageTarget(view, loader: provider)
        await target.setImage(ImageRequest(url: Self.url, processors: processors))
        let options = provider.loads.last?.request.options
        return (options?.processors?.map(\.identifier), options?.targetSize)
    }

    @Test func aCropSeesTheWholeImageAndItsResultGetsTheSizeOfTheView() async {
        let crop = Crop(x: 1000, y: 0, width: 500, height: 400)
        let (fit, size) = await identifiers([crop], in: box(200, 150, .fit))
        #expect(fit == [crop.identifier, "calotype.resize(200x150,fit,lanczos3)"] && size == nil)
        let wide = CropTo.crop(aspectRatio: 16, to: 9)
        let (fill, _) = await identifiers([wide, .circle], in: box(200, 200))
        // What follows the crop works in pixels of the view.
        #expect(fill == [wide.identifier, "calotype.resize(200x200,fill,lanczos3)", CircleCrop().identifier])
    }

    @Test(arguments: [
        [Trim.trim()] as [any Processing], [Rotate.rotate(degrees: 90)], [CropTo.crop(to: PixelSize(9))],
        [Resize.resize(to: PixelSize(width: 160, height: 90), mode: .fill)],
        [Pad.pad(to: PixelSize(900))], [ClosureProcessor.closure(id: "cut", needsWholeImage: true) { image, _ in image }],
        [Composition.all([.roundedCorners(radius: 3), .crop(x: 0, y: 0, width: 1, height: 1)])],
    ]) func theSizeComesAfterAProcessorThatNeedsTheWholeImage(processors: [any Processing]) async {
        let (all, size) = await identifiers(processors, in: box(20, 20))
        #expect(all?.count == 2 && all?.last == "calotype.resize(20x20,fill,lanczos3)" && size == nil)
    }

    @Test func processorsInPixelsOfTheResultWorkInPixelsOfTheView() async {
        let (all, size) = await identifiers([.roundedCorners(radius: 3), .blur(radius: 2)], in: box(20, 20))
        #expect(all?.count == 2 && size == PixelSize(20))
    }

    @Test func aViewThatGrowsSizesTheCroppedImageAgain() async throws {
        let view = SizedView(box(40, 30))
        let target = ImageTarget(view, loader: provider)
        await target.setImage(ImageRequest(url: Self.url, processors: [.crop(x: 9, y: 9, width: 500, height: 400)]))
        await view.resize(to: box(80, 60))
        await target.viewSizeChanged()
        #expect(provider.loads.count == 2)
        #expect(provider.loads[1].request.options.processors?.count == 2)
        #expect(provider.loads[1].request.options.processors?.last?.identifier == "calotype.resize(80x60,fill,lanczos3)")
    }

    /// The image of a view after a load of a file of 1,600 by 400 pixels, red to the left of column 1,000, then green.
    private func shown(_ processor: any Processing, in size: ViewImageSize) async throws -> DecodedImage? {
        let bitmap = try unsafe Bitmap(
            size: PixelSize(width: 1600, height: 400), format: .rgba8, alpha: .opaque
        ) { pixels, bytesPerRow in
            for index in pixels.indices {
                let x = index % bytesPerRow / 4
                unsafe pixels[index] = index % 4 == 3 || index % 4 == (x < 1000 ? 0 : 1) ? 255 : 0
            }
        }
        let file = try EncoderRegistry(.codecs).encode(DecodedImage(bitmap), as: .png, options: EncodeOptions())
        let loader = ImageLoader(
            .init(dataLoader: ScriptedLoader { _ in .body(file) }, decoder: DecoderRegistry(.codecs)))
        let (view, results) = (SizedView(size), EventLog<Result<ImageResponse, LoadFailure>>())
        let target = ImageTarget(view, loader: loader)
        await target.setImage(ImageRequest(url: Self.url, processors: [processor])) { results.append($0) }
        await results.wait(forCount: 1)
        withExtendedLifetime(target) {}
        return try results.events[0].get().image
    }

    @Test func aCropOutsideOfTheSizeOfTheViewIsShown() async throws {
        let image = try await shown(.crop(x: 1000, y: 0, width: 400, height: 300), in: box(200, 200, .fit))
        #expect(image?.size == PixelSize(width: 200, height: 150))
        #expect(image.map { TestImages.pixel(of: $0, x: 100, y: 75) } == [0, 255, 0, 255])
    }

    @Test func aCropToAnAspectRatioIsCutFromTheWholeImage() async throws {
        let image = try await shown(.crop(aspectRatio: 16, to: 9), in: box(100, 100))
        #expect(image?.size == PixelSize(100))
    }
}
