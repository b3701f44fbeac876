import CalotypeTesting
import ImageCore
import ImageLoading
import Testing

private enum Quality: OptionKey {
    static let defaultValue = 1
    static let effect = OptionEffect.image
}

private enum Region: OptionKey {
    static let defaultValue = "eu"
    static let effect = OptionEffect.response
}

private enum Label: OptionKey { static let defaultValue = "" }

/// Options of plug-ins reach every kind of plug-in (FEATURES 3.6).
@Suite(.timeLimit(.minutes(1)))
struct OptionsOfPlugIns {
    private struct Observing: RequestInterceptor {
        let log: EventLog<String>
        func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
            log.append(request.extra[Region.self])
            return try await next(request)
        }
    }

    private struct Marking: Processing {
        let log: EventLog<Int>
        var identifier: String { "test.marking" }
        func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
            log.append(context.extra[Quality.self])
            return image
        }
    }

    private struct Noting: Encoding {
        let log: EventLog<Int>
        var formats: [ImageFormat] { [ScriptedDecoder.format] }
        func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
            log.append(options.extra[Quality.self])
            return Data([red(image)])
        }
    }

    private func request(_ set: (inout OptionLayer) -> Void) -> ImageRequest {
        ImageRequest(url: url("x"), options: OptionLayer(set))
    }

    @Test func theyReachNetworkInterceptorDecoderProcessorAndEncoder() async throws {
        let (regions, processed, encoded) = (EventLog<String>(), EventLog<Int>(), EventLog<Int>())
        let bench = Bench {
            ($0.encoder, $0.processedFormat) = (Noting(log: encoded), ScriptedDecoder.format)
            $0.options[Region.self] = "us"
        }
        let request = request {
            $0.interceptors = [Observing(log: regions)]
            $0.processors = [Marking(log: processed)]
            $0.diskStorage = .all
            $0[Quality.self] = 9
        }
        _ = try await bench.loader.image(for: request)
        try await bench.loader.flush()
        #expect(regions.events == ["us"])
        #expect(bench.network.requests.map { $0.extra[Region.self] } == ["us"])
        #expect(bench.decoder.decodes.map { $0.extra[Quality.self] } == [9])
        #expect(processed.events == [9])
        #expect(encoded.events == [9])
        // The stored result is decoded with them, too.
        bench.memory.removeAll()
        #expect(try await bench.loader.response(for: request).tier == .disk)
        #expect(bench.decoder.decodes.map { $0.extra[Quality.self] } == [9, 9] && processed.events == [9])
    }

    @Test func oneThatChangesTheImageIsPartOfTheKeysInMemoryAndOfProcessedImages() async throws {
        let encoded = EventLog<Int>()
        let bench = Bench { ($0.encoder, $0.processedFormat) = (Noting(log: encoded), ScriptedDecoder.format) }
        func request(_ quality: Int?) -> ImageRequest {
            self.request {
                $0.diskStorage = .all
                $0.targetSize = PixelSize(width: 2, height: 2)
                $0[Quality.self] = quality
            }
        }
        for quality in [nil, 2, 3, 1] { _ = try await bench.loader.image(for: request(quality)) }
        try await bench.loader.flush()
        // Its default is the same as no value.
        #expect(bench.memory.keys.count == 3)
        #expect(bench.disk.keys.count { $0.variant != nil } == 3)
        #expect(bench.network.requests.count == 1)
        #expect(try await bench.loader.response(for: request(2)).tier == .memory)
    }

    @Test func oneThatChangesTheResponseIsPartOfTheKeyOfTheBytes() async throws {
        let bench = Bench(network: ScriptedLoader { .body(Data([$0.extra[Region.self] == "us" ? 1 : 2])) })
        for region in ["us", "eu", "us"] {
            let image = try await bench.loader.image(for: request { $0[Region.self] = region })
            #expect(red(image) == (region == "us" ? 1 : 2))
        }
        try await bench.loader.flush()
        #expect(bench.network.requests.count == 2 && bench.disk.keys.count == 2)
    }

    @Test func oneWithoutEffectIsPartOfNoKey() async throws {
        let bench = Bench()
        _ = try await bench.loader.image(for: request { $0[Label.self] = "a" })
        #expect(try await bench.loader.response(for: request { $0[Label.self] = "b" }).tier == .memory)
    }

    @Test func theNameOfAPrivateKeyIsTheSameAtEachLaunch() {
        #expect(Quality.name == "ImageLoadingTests.Quality")
    }

    // MARK: Options of the decode

    /// FEATURES 8.3: what a decoder can give reaches it, and is part of the key.
    @Test func profileDepthAlphaAndFrameReachTheDecoderAndMakeVariants() async throws {
        let bench = Bench()
        let changes: [@Sendable (inout OptionLayer) -> Void] = [
            { _ in }, { $0.convertsToSRGB = false }, { $0.convertsTo8Bit = false }, { $0.alpha = .straight }, { $0.frame = 3 },
        ]
        for change in changes { _ = try await bench.loader.image(for: request(change)) }
        let decodes = bench.decoder.decodes
        #expect(decodes.map(\.convertsToSRGB) == [true, false, true, true, true])
        #expect(decodes.map(\.convertsTo8Bit) == [true, true, false, true, true])
        #expect(decodes.map(\.alpha) == [.premultiplied, .premultiplied, .premultiplied, .straight, .premultiplied])
        #expect(decodes.map(\.frame) == [0, 0, 0, 0, 3])
        #expect(bench.memory.keys.count == 5 && bench.network.requests.count == 1)
    }

    @Test func processorsGetPremultipliedPixels() async throws {
        let bench = Bench()
        let processed = request {
            $0.alpha = .straight
            $0.processors = [Marking(log: EventLog())]
        }
        _ = try await bench.loader.image(for: processed)
        #expect(bench.decoder.decodes.map(\.alpha) == [.premultiplied])
    }

    // MARK: What is written to disk

    /// One rule (FEATURES 3.4): whichever of `cachePolicy` and `storesToDisk` forbids writing wins, whatever their
    /// layers, and `diskStorage` chooses among what they allow.
    @Test(arguments: [CachePolicy.memoryAndDisk, .memoryOnly], DiskStorage.allCases)
    func whatForbidsWritingWins(_ policy: CachePolicy, _ storage: DiskStorage) async throws {
        for stores in [true, false] {
            for isSwapped in [true, false] {
                let encoded = EventLog<Int>()
                let bench = Bench {
                    ($0.encoder, $0.processedFormat) = (Noting(log: encoded), ScriptedDecoder.format)
                    $0.options.diskStorage = storage
                    if isSwapped { $0.options.cachePolicy = policy } else { $0.options.storesToDisk = stores }
                }
                let request = request {
                    $0.targetSize = PixelSize(width: 2, height: 2)
                    if isSwapped { $0.storesToDisk = stores } else { $0.cachePolicy = policy }
                }
                _ = try await bench.loader.image(for: request)
                try await bench.loader.flush()
                #expect(bench.disk.keys.isEmpty == !(stores && policy.writesDisk))
                #expect(encoded.events.isEmpty == !(stores && policy.writesDisk && storage != .originalData))
            }
        }
    }
}
