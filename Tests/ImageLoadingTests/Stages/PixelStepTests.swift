import CalotypeTesting
import ImageCore
import ImageLoading
import Testing

/// Wants only two by two pixels of an image, and works as one with its like.
private struct Shrink: FusingProcessing {
    let name: String
    let log: EventLog<String>
    var reducesDecode: Bool { name.hasPrefix("shrink") }
    var identifier: String { name }

    func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        try RecordingProcessor(name, log: log).process(image, context: context)
    }

    func fused(with next: any Processing) -> (any Processing)? {
        (next as? Shrink).map { Shrink(name: "\(name)+\($0.name)", log: log) }
    }

    func reducedDecode(of source: PixelSize) -> ReducedDecode? {
        let rest = RecordingProcessor("rest of \(name) from \(source)", log: log)
        return ReducedDecode(targetSize: PixelSize(width: 2, height: 2), contentMode: .fill, processor: rest)
    }
}

@Suite(.timeLimit(.minutes(1))) struct PixelSteps {
    private let bench = Bench()
    private let log = EventLog<String>()

    private func request(_ processors: String..., targetSize: PixelSize? = nil) -> ImageRequest {
        ImageRequest(url: url("x"), size: targetSize, processors: processors.map { Shrink(name: $0, log: log) })
    }

    @Test func aStepThatNeedsLessIsDecodedSmall() async throws {
        let image = try await bench.loader.image(for: request("shrink"))
        #expect(bench.decoder.decodes.map(\.targetSize) == [PixelSize(width: 2, height: 2)])
        #expect(bench.decoder.decodes.map(\.contentMode) == [.fill])
        #expect(log.events == ["rest of shrink from 4x4"])
        #expect(image.size == PixelSize(width: 2, height: 2))
    }

    @Test func neighboursThatWorkAsOneRunOnceUnderTheirOwnKeys() async throws {
        _ = try await bench.loader.image(for: request("a", "b", "c"))
        #expect(log.events == ["a+b+c"])
        // The key is that of the three, however they were run.
        let plain = ImageRequest(url: url("x"), processors: ["a", "b", "c"].map { RecordingProcessor($0, log: log) })
        #expect(try await bench.loader.response(for: plain).tier == .memory)
        #expect(bench.memory.keys.count == 1)
    }

    @Test func aRunIsLeftWhereSomebodyWaitsForAPartOfIt() async throws {
        let bench = Bench.held()
        let (part, whole) = (bench.loader.task(for: request("a")), bench.loader.task(for: request("a", "b", "c")))
        while bench.network.gate.held == 0 { await Task.yield() }
        bench.network.gate.open()
        _ = try await (part.response, whole.response)
        #expect(log.events.sorted() == ["a", "b+c"])
        #expect(bench.decoder.decodes.count == 1)
    }

    @Test func aDecodeThatIsReducedForAnotherIsSharedByWhatFollows() async throws {
        let bench = Bench.held()
        let (part, whole) = (bench.loader.task(for: request("shrink")), bench.loader.task(for: request("shrink", "b")))
        while bench.network.gate.held == 0 { await Task.yield() }
        bench.network.gate.open()
        _ = try await (part.response, whole.response)
        #expect(log.events == ["rest of shrink from 4x4", "b"])
        #expect(bench.decoder.decodes.map(\.targetSize) == [PixelSize(width: 2, height: 2)])
    }

    @Test func theFullImageIsUsedWhereMemoryHasIt() async throws {
        _ = try await bench.loader.image(for: url("x"))
        _ = try await bench.loader.image(for: request("shrink"))
        #expect(bench.decoder.decodes.map(\.targetSize) == [nil])
        #expect(log.events == ["shrink"])
    }

    @Test func anExplicitTargetSizeIsKept() async throws {
        _ = try await bench.loader.image(for: request("shrink", targetSize: PixelSize(width: 3, height: 3)))
        #expect(bench.decoder.decodes.map(\.targetSize) == [PixelSize(width: 3, height: 3)])
        #expect(log.events == ["shrink"])
    }

    @Test func laterRequestsShareTheSmallImage() async throws {
        _ = try await bench.loader.image(for: request("shrink"))
        var later = request("shrink")
        later.options.processors = [Shrink(name: "shrink", log: log), RecordingProcessor("later", log: log)]
        _ = try await bench.loader.image(for: later)
        #expect(bench.decoder.decodes.count == 1)
        #expect(log.events == ["rest of shrink from 4x4", "later"])
    }

    @Test func aProcessorThatFailsDoesNotCostTheCacheItsBytes() async throws {
        struct Failing: FusingProcessing {
            let identifier = "failing"
            var reducesDecode: Bool { true }
            func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
                throw ImageError(.invalidRequest, message: "It cannot be done.")
            }
        }
        _ = try await bench.loader.image(for: url("x"))
        try await bench.loader.flush()
        bench.memory.removeAll()
        let stored = bench.disk.keys
        let request = ImageRequest(url: url("x"), processors: [Failing()])
        let failure = await #expect(throws: LoadFailure.self) { try await bench.loader.image(for: request) }
        #expect(failure?.error?.stage == .process)
        #expect(bench.disk.keys == stored && bench.network.requests.count == 1)
    }
}
