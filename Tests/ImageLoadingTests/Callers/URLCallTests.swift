import CalotypeTesting
import Foundation
import ImageCore
import ImageLoading
import Testing

/// FEATURES 1.13: every entry point takes a URL, a URL with a size, and a URL with processors.
@Suite(.timeLimit(.minutes(1))) struct URLCalls {
    private let log = EventLog<String>()
    private var double: [any Processing] { [RecordingProcessor("double", log: log)] }

    @Test func imagesAndResponsesAreLoadedByURL() async throws {
        let bench = Bench()
        let loader = bench.loader
        #expect(try await loader.image(for: url("a")).size == PixelSize(4))
        #expect(try await loader.image(for: url("a"), size: PixelSize(2)).size == PixelSize(2))
        _ = try await loader.image(for: url("a"), processors: double)
        #expect(log.events == ["double"])
        #expect(try await loader.response(for: url("a")).tier == .memory)
        #expect(try await loader.response(for: url("a"), size: PixelSize(3)).image.size == PixelSize(3))
        #expect(try await loader.response(for: url("a"), size: PixelSize(3), processors: double).image.size == PixelSize(3))
        #expect(log.events == ["double", "double"])
        // The size and the processors are part of the key.
        #expect(loader.cachedImage(for: url("a")) != nil && loader.cachedImage(for: url("a"), size: PixelSize(3)) != nil)
        #expect(loader.cachedImage(for: url("a"), processors: double) != nil)
        #expect(loader.cachedImage(for: url("a"), size: PixelSize(1)) == nil)
    }

    @Test func bytesAndHeadersAreReadByURL() async throws {
        let bench = Bench()
        #expect(try await bench.loader.data(for: url("a")).data == Data([7]))
        #expect(try await bench.loader.info(for: url("b")).size == PixelSize(4))
        #expect(bench.decoder.decodes.isEmpty)
    }

    @Test func tasksAreStartedByURL() async throws {
        let bench = Bench()
        let events = EventLog<String>()
        #expect(try await bench.loader.task(for: url("a")).image.size == PixelSize(4))
        #expect(try await bench.loader.task(for: url("a"), size: PixelSize(2)).image.size == PixelSize(2))
        let task = bench.loader.task(for: url("b"), processors: double) { event in
            if case .finished = event { events.append("finished") }
        }
        #expect(red(try await task.image) == 7)
        await events.wait(forCount: 1)
        #expect(log.events == ["double"] && events.events == ["finished"])
    }

    @Test func completionsAreCalledForURLs() async throws {
        let bench = Bench()
        let sizes = EventLog<PixelSize?>()
        bench.loader.load(url("a"), size: PixelSize(2), processors: double) { sizes.append(try? $0.get().image.size) }
        await sizes.wait(forCount: 1)
        #expect(sizes.events == [PixelSize(2)] && log.events == ["double"])
    }

    @Test func prefetchesStartAndStopByURL() async throws {
        let bench = Bench()
        let prefetcher = ImagePrefetcher(loader: bench.loader)
        prefetcher.isPaused = true
        prefetcher.start([url("a"), url("b")], size: PixelSize(2), processors: double)
        // Another size is another prefetch.
        prefetcher.stop([url("b")])
        #expect(prefetcher.activity.waiting == 2)
        prefetcher.stop([url("b")], size: PixelSize(2), processors: double)
        #expect(prefetcher.activity.waiting == 1)
        prefetcher.isPaused = false
        await prefetcher.waitUntilIdle()
        #expect(bench.loader.cachedImage(for: url("a"), size: PixelSize(2), processors: double) != nil)
        #expect(bench.network.requests.map(\.url) == [url("a")])
    }

    // MARK: Data

    @Test func dataIsDecodedOnceForEqualBytes() async throws {
        let bench = Bench()
        #expect(red(try await bench.loader.image(for: Data([5, 1]))) == 5)
        #expect(red(try await bench.loader.image(for: Data([5, 1]))) == 5)
        #expect(bench.decoder.decodes.count == 1)
        #expect(red(try await bench.loader.image(for: Data([6]), size: PixelSize(2), processors: double)) == 6)
        #expect(bench.decoder.decodes.last?.targetSize == PixelSize(2) && log.events == ["double"])
        #expect(bench.network.requests.isEmpty && bench.disk.keys.isEmpty)
    }

    @Test func damagedDataFailsWithItsError() async throws {
        let failure = await #expect(throws: LoadFailure.self) { try await Bench().loader.image(for: Data([0xFF])) }
        #expect(failure?.code == .corrupt)
    }

    // MARK: Tiers

    @Test(arguments: [
        ImageRequest(.url(URL(string: "file:///a.png")!)), ImageRequest(.url(URL(string: "DATA:,x")!)),
        ImageRequest(data: Data([7])), ImageRequest(.producer(id: "x") { Data([7]) }),
    ])
    func aLocalSourceIsNotTheNetwork(_ request: ImageRequest) async throws {
        let bench = Bench()
        #expect(try await bench.loader.response(for: request).tier == .local)
        #expect(try await bench.loader.response(for: request).tier == .memory)
        #expect(try await bench.loader.response(for: url("a")).tier == .network)
        #expect(bench.loader.statistics.bytes.fetched == 1)
    }
}
