import CalotypeTesting
import Foundation
import ImageCore
import ImageLoading
import Testing

@Suite(.timeLimit(.minutes(1))) struct EncodedImages {
    private static let tiny = ImageFormat(rawValue: "tiny", mediaType: "image/x-tiny", fileExtensions: [], displayName: "Tiny")
    private static let moving = ImageFormat(rawValue: "moving")

    /// Writes the red value of an image, and how often it did.
    private final class TinyEncoder: Encoding {
        let runs = EventLog<Int>()
        let error: (any Error)?
        let hold: (@Sendable () -> Void)?

        init(error: (any Error)? = nil, hold: (@Sendable () -> Void)? = nil) { (self.error, self.hold) = (error, hold) }

        var formats: [ImageFormat] { [tiny, moving] }

        func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
            runs.append(options.quality)
            hold?()
            if let error { throw error }
            return Data([red(image), UInt8(options.quality)])
        }
    }

    private static func bench(_ encoder: any Encoding = TinyEncoder(), disk: LoggedDataCache = LoggedDataCache()) -> Bench {
        Bench(disk: disk) { $0.encoder = encoder }
    }

    private static let request = ImageRequest(url: url("x"), size: PixelSize(width: 3, height: 2))

    @Test func theResultHasWhatAServerNeeds() async throws {
        let bench = Self.bench()
        var options = EncodeOptions()
        options.quality = 40
        let image = try await bench.loader.encoded(for: Self.request, as: Self.tiny, options: options)
        #expect(image.data == Data([7, 40]) && image.format == Self.tiny && image.mediaType == "image/x-tiny")
        #expect(image.size == PixelSize(width: 3, height: 2) && image.tier == .network && image.metrics.encode > .zero)
        #expect(image.original?.status == .ok && image.freshUntil == nil)
        await bench.waitUntilIdle()
    }

    @Test func aHundredCallersShareOneFetchAndOneEncode() async throws {
        let gate = Gate()
        let encoder = TinyEncoder()
        let bench = Bench(network: ScriptedLoader(gate: gate) { _ in .body(Data([7])) }) { $0.encoder = encoder }
        let results = try await withThrowingTaskGroup(of: EncodedImage.self) { group in
            for _ in 0..<100 { group.addTask { try await bench.loader.encoded(for: Self.request, as: Self.tiny) } }
            while bench.loader.activity.loads < 100 { await Task.yield() }
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.allSatisfy { $0.data == Data([7, 85]) } && results.count { $0.metrics.isCoalesced } == 99)
        #expect(bench.network.requests.count == 1 && bench.decoder.decodes.count == 1 && encoder.runs.count == 1)
    }

    @Test func anImageAndItsBytesShareTheDecode() async throws {
        let gate = Gate()
        let bench = Bench(network: ScriptedLoader(gate: gate) { _ in .body(Data([7])) }) { $0.encoder = TinyEncoder() }
        async let image = bench.loader.image(for: Self.request)
        async let encoded = bench.loader.encoded(for: Self.request, as: Self.tiny)
        while bench.loader.activity.loads < 2 { await Task.yield() }
        gate.open()
        #expect(red(try await image) == 7)
        #expect(try await encoded.data.first == 7)
        #expect(bench.decoder.decodes.count == 1 && bench.network.requests.count == 1)
    }

    @Test func theDataCacheKeepsTheResult() async throws {
        let encoder = TinyEncoder()
        let bench = Self.bench(encoder)
        _ = try await bench.loader.encoded(for: Self.request, as: Self.tiny)
        try await bench.loader.flush()
        let again = try await bench.loader.encoded(for: Self.request, as: Self.tiny)
        #expect(again.data == Data([7, 85]) && again.size == PixelSize(width: 3, height: 2) && again.tier == .disk)
        #expect(encoder.runs.count == 1 && bench.network.requests.count == 1 && bench.decoder.decodes.count == 1)
        // Bitmaps that no caller got are not kept.
        #expect(bench.memory.keys.isEmpty)
    }

    @Test func eachFormatQualityAndSizeIsAResult() async throws {
        let encoder = TinyEncoder()
        let bench = Self.bench(encoder)
        var options = EncodeOptions()
        options.quality = 20
        for _ in 0..<2 {
            _ = try await bench.loader.encoded(for: Self.request, as: Self.tiny)
            _ = try await bench.loader.encoded(for: Self.request, as: Self.tiny, options: options)
            _ = try await bench.loader.encoded(for: Self.request, as: Self.moving)
            _ = try await bench.loader.encoded(for: url("x"), as: Self.tiny, size: PixelSize(2))
            try await bench.loader.flush()
        }
        #expect(encoder.runs.events == [85, 20, 85, 85])
        #expect(bench.disk.keys.count == 5)
    }

    @Test(arguments: [CachePolicy.memoryOnly, .reload]) func theCachePolicyHolds(_ policy: CachePolicy) async throws {
        let encoder = TinyEncoder()
        let bench = Self.bench(encoder)
        var request = Self.request
        request.options.cachePolicy = policy
        for _ in 0..<2 {
            _ = try await bench.loader.encoded(for: request, as: Self.tiny)
            try await bench.loader.flush()
        }
        #expect(encoder.runs.count == 2)
        #expect(bench.disk.keys.isEmpty == !policy.writesDisk)
    }

    @Test func cacheOnlyServesTheStoredResultOrFails() async throws {
        let bench = Self.bench()
        var request = Self.request
        request.options.cachePolicy = .cacheOnly
        let missing = await #expect(throws: LoadFailure.self) { try await bench.loader.encoded(for: request, as: Self.tiny) }
        #expect(missing?.code == .notCached)
        _ = try await bench.loader.encoded(for: Self.request, as: Self.tiny)
        try await bench.loader.flush()
        #expect(try await bench.loader.encoded(for: request, as: Self.tiny).tier == .disk)
        #expect(bench.network.requests.count == 1)
    }

    @Test func removingTheSourceAndClearingRemoveTheResult() async throws {
        let bench = Self.bench()
        for isCleared in [true, false] {
            _ = try await bench.loader.encoded(for: Self.request, as: Self.tiny)
            try await bench.loader.flush()
            #expect(bench.disk.keys.contains { $0.variant?.contains("tiny") == true })
            if isCleared {
                try await bench.loader.clearCaches()
            } else {
                try await bench.loader.cache.removeAllVariants(of: url("x"))
            }
            #expect(bench.disk.keys.isEmpty)
        }
    }

    @Test func aCallerThatIsCancelledDoesNotCancelOthers() async throws {
        let gate = Gate()
        let bench = Bench(network: ScriptedLoader(gate: gate) { _ in .body(Data([7])) }) { $0.encoder = TinyEncoder() }
        let calls = (0..<2).map { _ in Task { try await bench.loader.encoded(for: Self.request, as: Self.tiny) } }
        while bench.loader.activity.loads < 2 { await Task.yield() }
        calls[0].cancel()
        await #expect(throws: LoadFailure.cancelled) { try await calls[0].value }
        gate.open()
        #expect(try await calls[1].value.data.first == 7)
        #expect(bench.network.cancelled == 0)
    }

    @Test func theLastCallerThatLeavesStopsTheWork() async throws {
        let bench = Bench.held { $0.encoder = TinyEncoder() }
        let call = Task { try await bench.loader.encoded(for: Self.request, as: Self.tiny) }
        await bench.network.gate.waitForArrivals(1)
        call.cancel()
        await #expect(throws: LoadFailure.cancelled) { try await call.value }
        await bench.waitUntilIdle()
        #expect(bench.network.cancelled == 1)
    }

    @Test func aFormatWithoutEncoderFailsBeforeAnyFetch() async throws {
        let bench = Self.bench()
        let failure = await #expect(throws: LoadFailure.self) { try await bench.loader.encoded(for: Self.request, as: .avif) }
        #expect(failure?.code == .unsupportedFeature && failure?.error?.stage == .encode)
        #expect(failure?.description == "The loader has no encoder for the format avif. Its formats are tiny, moving.")
        let none = Bench()
        let other = await #expect(throws: LoadFailure.self) { try await none.loader.encoded(for: Self.request, as: .avif) }
        #expect(other?.code == .unsupportedFeature)
        #expect(bench.network.requests.isEmpty && none.network.requests.isEmpty)
    }

    @Test(arguments: [true, false]) func anEncoderThatFailsIsAFailure(isCancellation: Bool) async throws {
        struct Own: Error {}
        let error: any Error = isCancellation ? CancellationError() : Own()
        let bench = Self.bench(TinyEncoder(error: error))
        let failure = await #expect(throws: LoadFailure.self) { try await bench.loader.encoded(for: Self.request, as: Self.tiny) }
        #expect(failure?.code == .plugInFailed && failure?.error?.stage == .encode && failure?.underlying != nil)
        await bench.waitUntilIdle()
    }

    @Test func theFallbackIsEncoded() async throws {
        let bench = Bench(network: ScriptedLoader { _ in throw ImageError(.timedOut, message: "late") }) {
            $0.encoder = TinyEncoder()
        }
        var request = Self.request
        request.fallbacks = [.bytes(Data([9]), id: "fallback")]
        let image = try await bench.loader.encoded(for: request, as: Self.tiny)
        #expect(image.data.first == 9 && image.original == nil && image.tier == .local)
        try await bench.loader.flush()
        // What is local is not stored.
        #expect(bench.disk.keys.isEmpty)
    }

    @Test func encodingRunsOnAWorkerThread() async throws {
        // A worker is no thread of the cooperative pool: it may block until another load has run.
        let encodes = EventLog<Void>()
        let others = Lock(false)
        let encoder = TinyEncoder(hold: {
            encodes.append(())
            while !others.withLock({ $0 }) {}
        })
        let bench = Bench { ($0.encoder, $0.limits.workers) = (encoder, 2) }
        let call = Task { try await bench.loader.encoded(for: Self.request, as: Self.tiny) }
        await encodes.wait(forCount: 1)
        #expect(bench.loader.statistics.queues.contains { $0.name == "worker" && $0.running == 1 })
        others.withLock { $0 = true }
        _ = try await call.value
    }
}
