import CalotypeTesting
import Foundation
import ImageCore
import ImageLoading
import Testing

/// Where a load's work runs: decoding and processing on the loader's worker threads, never where the bytes arrive.
@Suite(.timeLimit(.minutes(1))) struct WorkerThreads {
    /// Logs the thread of every decode.
    private struct LoggingDecoder: Decoding {
        let decoder = ScriptedDecoder()
        let threads: EventLog<ObjectIdentifier>

        var formats: [ImageFormat] { decoder.formats }
        func format(of head: Data) -> ImageFormat? { decoder.format(of: head) }
        func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo { try decoder.info(of: data, limits: limits) }

        func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
            threads.append(thisThread())
            return try decoder.decode(data, options: options)
        }
    }

    /// Logs the thread that it runs on.
    private struct LoggingProcessor: Processing {
        let threads: EventLog<ObjectIdentifier>
        var identifier: String { "logging" }

        func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
            threads.append(thisThread())
            return image
        }
    }

    @Test func decodingAndProcessingRunOnWorkers() async throws {
        let (sources, threads) = (EventLog<ObjectIdentifier>(), EventLog<ObjectIdentifier>())
        var configuration = ImageLoader.Configuration(
            dataLoader: ScriptedLoader { _ in .body(Data()) }, decoder: LoggingDecoder(threads: threads))
        configuration.limits.workers = 1
        let loader = ImageLoader(configuration)
        var request = ImageRequest(
            .producer(id: "image") {
                sources.append(thisThread())
                return Data([7])
            })
        request.options.processors = [LoggingProcessor(threads: threads)]
        _ = try await loader.image(for: request)
        let source = try #require(sources.events.first)
        #expect(threads.events.count == 2 && Set(threads.events).count == 1)
        #expect(!threads.events.contains(source))
    }

    /// Each prefetch fails on the worker before the call that starts it has returned.
    @Test func manyThatFailAtOnceDoNotPileUp() async throws {
        let loader = ImageLoader(
            ImageLoader.Configuration(
                dataLoader: ScriptedLoader { request in
                    request.url.lastPathComponent == "0" ? .body(Data([7])) : .failure(ImageError(.timedOut, message: "late"))
                }, decoder: ScriptedDecoder()))
        let prefetcher = ImagePrefetcher(loader: loader, maximumLoads: 1)
        prefetcher.start((0..<20_000).map { url("\($0)") })
        await prefetcher.waitUntilIdle()
        #expect(loader.statistics.loads.failed == 19_999)
    }

    /// A fetch that ends lets the next one begin. If that happened at the end of the first, many would fill the stack.
    @Test func manyInARowDoNotPileUp() async throws {
        let threads = EventLog<ObjectIdentifier>()
        let loader = ImageLoader(
            ImageLoader.Configuration(
                dataLoader: ScriptedLoader { _ in .body(Data([7])) }, decoder: LoggingDecoder(threads: threads)))
        loader.isPaused = true
        let tasks = (0..<5_000).map { loader.task(for: ImageRequest(url: url("\($0)"))) }
        loader.isPaused = false
        for task in tasks { _ = try await task.response }
        #expect(threads.events.count == 5_000)
    }
}

private func thisThread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }
