import CalotypeTesting
import Foundation
import ImageCore
import ImageLoading
import Testing

/// What plug-ins throw, and `CancellationError` where the load was not cancelled (FEATURES 1.19).
@Suite(.timeLimit(.minutes(1))) struct PlugInErrors {
    private struct Own: Error, Equatable { let number: Int }

    private struct Throwing: RequestInterceptor {
        let error: any Error
        func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse { throw error }
    }

    /// The loader and the request of a load in which a kind of plug-in throws an error.
    private static func load(_ kind: String, throwing error: any Error) -> (Bench, ImageRequest) {
        var bench = Bench()
        var request = ImageRequest(url: url("a"))
        switch kind {
        case "closure": request = ImageRequest(.producer(id: "a") { throw error })
        case "interceptor": request.options.interceptors = [Throwing(error: error)]
        case "network": bench = Bench(network: ScriptedLoader { _ in throw error })
        case "body":
            let network = ScriptedLoader { request in
                let body = ByteStream { () async throws -> Data? in throw error }
                return .forward(Answering { DataResponse(url: request.url, body: body) })
            }
            bench = Bench(network: network)
        case "decoder": bench = Bench(decoder: ScriptedDecoder(beforeDecode: { _, _ in throw error }))
        default: request.options.processors = [RecordingProcessor("p") { _, _ in throw error }]
        }
        return (bench, request)
    }

    private struct Answering: DataLoading {
        let answer: @Sendable () -> DataResponse
        func load(_ request: DataRequest) async throws -> DataResponse { answer() }
    }

    static let kinds = ["closure", "interceptor", "network", "body", "decoder", "processor"]

    @Test(arguments: kinds) func aPlugInsOwnCancellationErrorIsAFailure(kind: String) async throws {
        let (bench, request) = Self.load(kind, throwing: CancellationError())
        let failure = await #expect(throws: LoadFailure.self) { try await bench.loader.image(for: request) }
        #expect(failure?.code == .plugInFailed)
        #expect(failure?.error?.underlying is CancellationError)
        await bench.waitUntilIdle()
    }

    @Test(arguments: kinds.dropLast()) func aPlugInsOwnCancellationErrorLeadsToTheFallback(kind: String) async throws {
        var (bench, request) = Self.load(kind, throwing: CancellationError())
        request.fallbacks = [.bytes(Data([9]), id: "fallback")]
        if kind == "decoder" {
            bench = Bench(decoder: ScriptedDecoder(beforeDecode: { data, _ in if data.first == 7 { throw CancellationError() } }))
        }
        #expect(red(try await bench.loader.image(for: request)) == 9)
    }

    @Test func theCompletionIsCalledForAPlugInsOwnCancellationError() async {
        let (bench, request) = Self.load("closure", throwing: CancellationError())
        let codes = EventLog<ImageError.Code?>()
        let load = bench.loader.load(request) { if case .failure(let failure) = $0 { codes.append(failure.code) } }
        await codes.wait(forCount: 1)
        #expect(codes.events == [.plugInFailed])
        withExtendedLifetime(load) {}
    }

    @Test(arguments: kinds) func theErrorThatAPlugInThrewCanBeGotFromTheFailure(kind: String) async throws {
        let (bench, request) = Self.load(kind, throwing: Own(number: 3))
        let failure = await #expect(throws: LoadFailure.self) { try await bench.loader.image(for: request) }
        #expect(failure?.code == .plugInFailed)
        #expect(failure?.error?.underlying as? Own == Own(number: 3))
    }

    /// A data cache that throws `CancellationError` is a cache that fails.
    @Test func aCachesOwnCancellationErrorIsReportedAndAMiss() async throws {
        struct Failures: LoadObserving {
            let log = EventLog<ImageError>()
            func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
                if case .cacheFailed(let error) = observation { log.append(error) }
            }
        }
        let observer = Failures()
        let disk = LoggedDataCache(fault: { _ in CancellationError() })
        let bench = Bench(disk: disk) { $0.observers = [observer] }
        #expect(red(try await bench.loader.image(for: url("a"))) == 7)
        try? await bench.loader.flush()
        #expect(observer.log.events.first?.underlying is CancellationError)
    }

    /// So is a response cache.
    @Test func aResponseCachesOwnCancellationErrorIsAMiss() async throws {
        struct Cancelling: ResponseCaching {
            func lookUp(_ request: DataRequest) throws -> ResponseLookup { throw CancellationError() }
            func store(_ entry: DataEntry, for request: DataRequest) {}
            func removeResponse(for request: DataRequest) {}
            func removeResponses(of resource: ResourceKey) {}
            func removeAll() {}
        }
        let bench = Bench { $0.responseCache = Cancelling() }
        #expect(red(try await bench.loader.image(for: url("a"))) == 7)
    }

    /// Those that run while an image is stored, too.
    @Test func anEncodersOwnCancellationErrorKeepsTheImage() async throws {
        final class Cancelling: Encoding {
            var formats: [ImageFormat] { [ScriptedDecoder.format] }
            func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
                throw CancellationError()
            }
        }
        let bench = Bench { ($0.encoder, $0.processedFormat) = (Cancelling(), ScriptedDecoder.format) }
        var request = ImageRequest(url: url("a"))
        request.options.diskStorage = .processedImages
        #expect(red(try await bench.loader.image(for: request)) == 7)
        try await bench.loader.flush()
        #expect(bench.disk.keys.isEmpty)
    }

    @Test func aCancelledLoadStaysCancelled() async {
        let bench = Bench.held()
        let task = bench.loader.task(for: ImageRequest(url: url("a")))
        await bench.network.gate.waitForArrivals(1)
        task.cancel()
        await #expect(throws: LoadFailure.cancelled) { try await task.response }
        await bench.waitUntilIdle()
    }
}
