import CalotypeTesting
import CustomTarget
import Foundation
import ImageCore
import ImageLoading
import ImageTargets
import Testing

@Suite(.timeLimit(.minutes(1))) struct CustomTargetTests {
    @Test func itKeepsTheContractOfViews() async throws {
        let view = ImageLayer(size: PixelSize(width: 8, height: 6))
        try await checkImageViewAdapterConformance(of: view) { await appearance(of: $0) }
    }

    @Test @MainActor func itFollowsRandomPrograms() async throws {
        try await checkImageViewAdapterPrograms(
            500, makeView: { ImageLayer(size: PixelSize(width: 8, height: 6)) }, appearance: { await appearance(of: $0) })
    }

    @Test func theSceneHasItsOwnThread() async {
        let scene = await threads { await sceneThread() }
        let others = await threads { currentThread() }
        #expect(scene.count == 1)
        #expect(scene.isDisjoint(with: others))
    }

    /// The load is held after each chunk.
    @Test @SceneActor func theLayerShowsEachStepOfALoad() async throws {
        let (scene, view, steps) = (Scene(size: PixelSize(width: 6, height: 4)), makeView(), Gate())
        scene.layers = [view.layer]
        let network = ScriptedLoader { _ in
            let head = HTTPResponse(status: .ok, headerFields: [.contentLength: "128"])
            return .response(head, chunks: [Data(repeating: 100, count: 64), Data(repeating: 200, count: 64)], gate: steps)
        }
        let target = view.makeTarget(loader: makeLoader(network))
        let results = EventLog<Result<ImageResponse, LoadFailure>>()
        var request = try request("cat")
        request.options.placeholder = .color(red: 0, green: 1, blue: 0, alpha: 1)
        request.options.previews = .incremental
        request.options.accessibilityLabel = "A cat"

        await target.setImage(request) { results.append($0) }
        #expect(view.layer.spokenText == "A cat")
        #expect(try scene.text() == ["......", ".*ggg.", ".gggg.", "......"])
        await steps.waitForArrivals(1)
        steps.letOneThrough()
        #expect(try await scene.text(after: "p") == ["......", ".*ppp.", ".**pp.", "......"])
        steps.open()
        await results.wait(forCount: 1)
        #expect(try results.events[0].get().tier == .network)
        #expect(try scene.text() == ["......", ".iiii.", ".iiii.", "......"])
    }

    @Test @SceneActor func theLayerShowsAFailure() async throws {
        let (scene, view) = (Scene(size: PixelSize(width: 6, height: 4)), makeView())
        scene.layers = [view.layer]
        let network = ScriptedLoader { _ in .failure(ImageError(.connectionLost, message: "The connection was lost.")) }
        let target = view.makeTarget(loader: makeLoader(network))
        let results = EventLog<Result<ImageResponse, LoadFailure>>()
        var request = try request("lost")
        request.options.failureImage = try TestImages.solid(green: 255)
        await target.setImage(request) { results.append($0) }
        await results.wait(forCount: 1)
        #expect(throws: LoadFailure.self) { try results.events[0].get() }
        #expect(try scene.text() == ["......", ".gggx.", ".gggg.", "......"])
    }

    @Test @SceneActor func reuseCancelsTheLoadAndClearsTheLayer() async throws {
        let (scene, view) = (Scene(size: PixelSize(width: 6, height: 4)), makeView())
        scene.layers = [view.layer]
        let network = ScriptedLoader(gate: Gate()) { _ in .body(Data([200])) }
        let target = view.makeTarget(loader: makeLoader(network))
        var request = try request("cat")
        request.options.placeholder = .color(red: 0, green: 1, blue: 0, alpha: 1)
        await target.setImage(request) { _ in Issue.record("A cancelled request completed.") }
        await network.waitForRequests(1)
        await target.clear()
        try await waitUntil { network.cancelled == 1 }
        #expect(try scene.text() == Array(repeating: "......", count: 4))
    }

    @Test @SceneActor func aReleasedLayerCancelsItsLoad() async throws {
        let network = ScriptedLoader(gate: Gate()) { _ in .body(Data([200])) }
        var view: ImageLayer? = makeView()
        await view?.makeTarget(loader: makeLoader(network)).setImage(try request("cat"))
        await network.waitForRequests(1)
        view = nil
        try await waitUntil { network.cancelled == 1 }
    }

    @Test @SceneActor func theLoadWaitsForTheLayout() async throws {
        let decoder = ScriptedDecoder()
        let network = ScriptedLoader { _ in .body(Data([200])) }
        let view = ImageLayer()
        let target = view.makeTarget(
            loader: ImageLoader(ImageLoader.Configuration(dataLoader: network, decoder: decoder)))
        let results = EventLog<Result<ImageResponse, LoadFailure>>()
        await target.setImage(try request("cat")) { results.append($0) }
        #expect(network.requests.isEmpty)
        await view.setFrame(x: 1, y: 1, size: PixelSize(width: 3, height: 2))
        try await waitUntil { results.count == 1 }
        #expect(decoder.decodes.map(\.targetSize) == [PixelSize(width: 3, height: 2)])
        // A layer that grows gets a larger image.
        await view.setFrame(x: 1, y: 1, size: PixelSize(width: 4, height: 2))
        try await waitUntil { decoder.decodes.count == 2 }
        #expect(decoder.decodes.last?.targetSize == PixelSize(width: 4, height: 2))
    }
}

/// Ends with the test's time limit.
@SceneActor private func waitUntil(_ condition: () throws -> Bool) async throws {
    while try !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}

/// The threads of many tasks.
private func threads(_ current: @escaping @Sendable () async -> ObjectIdentifier) async -> Set<ObjectIdentifier> {
    await withTaskGroup(of: ObjectIdentifier.self) { group in
        for _ in 0..<1_000 { group.addTask { await current() } }
        return await group.reduce(into: Set()) { $0.insert($1) }
    }
}

@SceneActor private func sceneThread() -> ObjectIdentifier { currentThread() }

/// Not `async`: a task must not ask for its thread.
private func currentThread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }

private func makeView() -> ImageLayer { ImageLayer(x: 1, y: 1, size: PixelSize(width: 4, height: 2)) }

private func makeLoader(_ network: ScriptedLoader) -> ImageLoader {
    var configuration = ImageLoader.Configuration(dataLoader: network, decoder: PreviewDecoder())
    configuration.previewInterval = .zero
    return ImageLoader(configuration)
}

private func request(_ name: String) throws -> ImageRequest {
    ImageRequest(url: try #require(URL(string: "https://example.org/\(name)")))
}

/// Decodes the last byte to an image, and the first one to previews.
private struct PreviewDecoder: IncrementalDecoding {
    private final class FirstByte: IncrementalDecoder {
        func preview(of prefix: Data) throws -> DecodedImage? {
            var image = try TestImages.solid(red: prefix.first ?? 0)
            image.isPreview = true
            return image
        }
    }

    let base = ScriptedDecoder()
    var formats: [ImageFormat] { base.formats }
    func format(of prefix: Data) -> ImageFormat? { base.format(of: prefix) }
    func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo { try base.info(of: data, limits: limits) }
    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        try base.decode(data.suffix(1), options: options)
    }
    func makeIncrementalDecoder(for prefix: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? { FirstByte() }
}

extension Scene {
    /// The scene as it is drawn, with a letter for each pixel.
    fileprivate func text() throws -> [String] {
        let image = DecodedImage(try draw())
        return (0..<size.height).map { y in
            String((0..<size.width).map { x in letter(of: TestImages.pixel(of: image, x: x, y: y)) })
        }
    }

    /// Returns the scene as soon as a letter is drawn.
    fileprivate func text(after letter: Character) async throws -> [String] {
        try await waitUntil { try text().contains { $0.contains(letter) } }
        return try text()
    }

    private func letter(of pixel: [UInt8]) -> Character {
        switch pixel {
        case [0, 0, 0, 0]: "."
        case [0, 255, 0, 255]: "g"
        case [100, 0, 0, 255]: "p"
        case [200, 0, 0, 255]: "i"
        case [255, 255, 255, 255]: "*"
        case [255, 0, 0, 255]: "x"
        default: "?"
        }
    }
}

/// What a scene with the layer alone shows.
@SceneActor private func appearance(of view: ImageLayer) -> ViewAppearance {
    let scene = Scene(size: view.layer.size)
    scene.layers = [view.layer]
    guard let image = (try? scene.draw()).map({ DecodedImage($0) }) else { return ViewAppearance(color: [1]) }
    func pixel(_ x: Int, _ y: Int) -> [UInt8] { TestImages.pixel(of: image, x: x, y: y) }
    let middle = pixel(image.size.width / 2, image.size.height / 2)
    return ViewAppearance(
        color: middle[3] == 0 ? [] : Array(middle.prefix(3)), isLoading: pixel(0, 0) == [255, 255, 255, 255],
        hasFailed: pixel(image.size.width - 1, 0) == [255, 0, 0, 255], label: view.layer.spokenText)
}
