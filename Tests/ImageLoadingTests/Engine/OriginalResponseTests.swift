import CalotypeTesting
import Foundation
import HTTPTypes
import ImageCore
import ImageLoading
import Testing

/// What a response tells of its original, and the values that plug-ins attach to an image (FEATURES 1.20).
@Suite(.timeLimit(.minutes(1))) struct OriginalsOfResponses {
    private static func bench() -> Bench {
        let head = HTTPResponse(
            status: .nonAuthoritativeInformation, headerFields: [.eTag: "\"1\"", .setCookie: "session=secret", .age: "3"])
        return Bench(network: ScriptedLoader { _ in .response(head, chunks: [Data([7])]) })
    }

    @Test func theOriginalIsKnownFromEveryTier() async throws {
        let bench = Self.bench()
        let request = ImageRequest(url: url("x"), size: PixelSize(2))
        for tier in [CacheTier.network, .memory, .disk] {
            if tier == .disk {
                try await bench.loader.flush()
                bench.memory.removeAll()
            }
            let response = try await bench.loader.response(for: request)
            #expect(response.tier == tier)
            let original = try #require(response.original)
            #expect(original.status == .nonAuthoritativeInformation && original.headerFields[.eTag] == "\"1\"")
            #expect(original.headerFields[.setCookie] == nil)
            #expect(original.url == (tier == .disk ? nil : url("x")))
        }
    }

    /// The engine keeps it also where a processor makes an image of its own.
    @Test func theOriginalIsKnownAfterProcessors() async throws {
        let bench = Self.bench()
        var request = ImageRequest(url: url("x"))
        request.options.processors = [RecordingProcessor("new") { _, _ in try TestImages.solid(red: 3) }]
        let response = try await bench.loader.response(for: request)
        #expect(red(response.image) == 3 && response.original?.headerFields[.eTag] == "\"1\"")
    }

    @Test func aLocalSourceHasNoOriginal() async throws {
        let response = try await Self.bench().loader.response(for: ImageRequest(.bytes(Data([7]), id: "a")))
        #expect(response.original == nil)
    }

    @Test func theURLIsThatAfterRedirects() async throws {
        struct Redirected: DataLoading {
            func load(_ request: DataRequest) async throws -> DataResponse {
                DataResponse(url: url("final"), body: ByteStream(Data([7])))
            }
        }
        let bench = Bench(network: ScriptedLoader { _ in .forward(Redirected()) })
        #expect(try await bench.loader.response(for: url("x")).original?.url == url("final"))
    }

    // MARK: Values

    private enum Caption: ImageValueKey { typealias Value = String }
    private enum Count: ImageValueKey { typealias Value = Int }

    @Test func valuesOfAProcessorAreKeptByLaterProcessorsAndInMemory() async throws {
        let bench = Bench()
        var request = ImageRequest(url: url("x"))
        request.options.processors = [
            RecordingProcessor("value") { image, _ in
                var image = image
                image.values[Caption.self] = "red"
                return image
            },
            RecordingProcessor("pixels") { image, _ in image.with(try TestImages.solid(red: 3).bitmap) },
        ]
        for _ in 0..<2 {
            let image = try await bench.loader.image(for: request)
            #expect(red(image) == 3 && image.values[Caption.self] == "red" && image.values[Count.self] == nil)
        }
        #expect(bench.network.requests.count == 1)
    }

    @Test func aValueCanBeReplacedAndRemoved() throws {
        var image = try TestImages.solid(red: 3)
        #expect(image.values.isEmpty)
        let before = image
        image.values[Count.self] = 1
        image.values[Count.self] = 2
        #expect(image.values[Count.self] == 2 && image == before)
        image.values[Count.self] = nil
        #expect(image.values.isEmpty)
    }

    // MARK: Status

    @Test func theStatusOfATaskCanBeReadAtOnce() async throws {
        let bench = Bench.held()
        let task = bench.loader.task(for: url("x"))
        #expect(task.status == .running)
        bench.network.gate.open()
        _ = try await task.image
        #expect(task.status == .loaded)
        task.cancel()
        #expect(task.status == .loaded)
        let cancelled = bench.loader.task(for: ImageRequest(.producer(id: "a") { throw CancellationError() }))
        cancelled.cancel()
        #expect(cancelled.status == .cancelled)
        let failed = bench.loader.task(for: ImageRequest(.producer(id: "b") { throw CancellationError() }))
        _ = try? await failed.image
        #expect(failed.status == .failed)
    }
}
