import CalotypeTesting
import ImageCore
import ImageLoading
import ImageProcessing
import Testing

/// A provider whose loads a closure drives.
private final class Altered: ImageProviding {
    let drive: @Sendable (ScriptedLoad) -> Void
    private let base = ScriptedProvider()
    /// Whether all loads have one handle.
    let sharesHandles: Bool

    init(sharesHandles: Bool = false, _ drive: @escaping @Sendable (ScriptedLoad) -> Void) {
        (self.sharesHandles, self.drive) = (sharesHandles, drive)
    }

    func options(for request: ImageRequest) throws(LoadFailure) -> LoadOptions { try base.options(for: request) }
    func cachedImage(for request: ImageRequest) -> DecodedImage? { nil }
    func task(for request: ImageRequest, onEvent: @escaping @Sendable (LoadEvent) -> Void) -> Handle {
        let load = base.task(for: request, onEvent: onEvent)
        drive(load)
        return Handle(sharesHandles ? base.loads[0] : load, onEvent)
    }

    final class Handle: LoadHandle {
        let load: ScriptedLoad
        let onEvent: @Sendable (LoadEvent) -> Void
        init(_ load: ScriptedLoad, _ onEvent: @escaping @Sendable (LoadEvent) -> Void) {
            (self.load, self.onEvent) = (load, onEvent)
        }
        var id: LoadID { load.id }
        var priority: LoadPriority {
            get { load.priority }
            set { load.priority = newValue }
        }
        func cancel() { load.cancel() }
    }
}

/// A provider whose handles have faults.
private final class Faulty: ImageProviding {
    enum Fault { case endsTwice, overlaps, ignoresCancel, cancelsOnRelease }
    let fault: Fault
    private let base = ScriptedProvider()
    init(_ fault: Fault) { self.fault = fault }

    func options(for request: ImageRequest) throws(LoadFailure) -> LoadOptions { try base.options(for: request) }
    func cachedImage(for request: ImageRequest) -> DecodedImage? { nil }
    func task(for request: ImageRequest, onEvent: @escaping @Sendable (LoadEvent) -> Void) -> Handle {
        let load = base.task(for: request, onEvent: onEvent)
        let (fault, end) = (fault, LoadEvent.finished(.failure(.cancelled)))
        Task {
            await Task.yield()
            switch fault {
            case .endsTwice:
                load.succeed(try TestImages.solid())
                onEvent(end)
            case .overlaps:
                async let other: Void = send(.progress(LoadProgress(received: 1, expected: 2)), onEvent)
                for _ in 0..<1_000 { onEvent(.progress(LoadProgress(received: 1, expected: 2))) }
                await other
                load.succeed(try TestImages.solid())
            case .ignoresCancel: load.succeed(try TestImages.solid())
            case .cancelsOnRelease:
                for _ in 0..<20 { await Task.yield() }
                load.succeed(try TestImages.solid())
            }
        }
        return Handle(load, fault)
    }

    @concurrent private func send(_ event: LoadEvent, _ onEvent: @escaping @Sendable (LoadEvent) -> Void) async {
        for _ in 0..<1_000 { onEvent(event) }
    }

    final class Handle: LoadHandle {
        let load: ScriptedLoad
        let fault: Fault
        init(_ load: ScriptedLoad, _ fault: Fault) { (self.load, self.fault) = (load, fault) }
        deinit { if fault == .cancelsOnRelease { load.cancel() } }
        var id: LoadID { load.id }
        var priority: LoadPriority {
            get { load.priority }
            set { load.priority = newValue }
        }
        func cancel() { if fault != .ignoresCancel { load.cancel() } }
    }
}

private let request = ImageRequest(url: URL(string: "test://host/a")!)
private let endless = ImageRequest(url: URL(string: "test://host/endless")!)

private func proof(_ rule: String, _ fault: Faulty.Fault) -> Proof {
    Proof("ImageProviding.\(rule)", "\(fault)") {
        try await checkImageProvidingConformance(of: Faulty(fault), loading: request, endless: endless, limit: .seconds(5))
    }
}

let providingProofs = [
    Proof("ImageProviding.returnsBeforeEvents", "the handler is called by the call") {
        let provider = Altered { load in if let image = try? TestImages.solid() { load.succeed(image) } }
        try await checkImageProvidingConformance(of: provider, loading: request)
    },
    proof("endsOnce", .endsTwice), proof("sendsOneEventAtATime", .overlaps), proof("cancelsLoads", .ignoresCancel),
    proof("runsWithoutHandle", .cancelsOnRelease),
    Proof("ImageProviding.namesLoads", "all loads have one identifier") {
        let provider = Altered(sharesHandles: true) { load in Task { load.succeed(try TestImages.solid()) } }
        try await checkImageProvidingConformance(of: provider, loading: request)
    },
]

@Suite(.timeLimit(.minutes(1))) struct BuiltInProviders {
    @Test func theLoaderPasses() async throws {
        let gate = Gate()
        let network = ScriptedLoader { request in
            request.url == URL(string: "test://host/endless")
                ? .response(.init(status: .ok), chunks: [Data([7])], gate: gate) : .body(Data([7]))
        }
        let loader = ImageLoader(ImageLoader.Configuration(dataLoader: network, decoder: ScriptedDecoder()))
        try await checkImageProvidingConformance(of: loader, loading: request, endless: endless)
    }

    @Test func animationsPass() throws {
        try checkAnimationConformance { FrameList([try colorful(8, 6), try TestImages.solid(width: 8, height: 6)]) }
        try checkAnimationConformance {
            ProcessedAnimation(
                FrameList([try colorful(8, 6), try TestImages.solid(width: 8, height: 6)]), processors: [.flip(.vertical)])
        }
    }
}

// MARK: Frames of animations

/// Frames of a loaded animation, with a fault.
private struct FaultyFrames: AnimationFrames {
    enum Fault { case none, hasNoFrame, hasNegativeBytes, changesSize, forgets, ignoresCancellation }
    let fault: Fault
    private let log = EventLog<Void>()
    init(_ fault: Fault) { self.fault = fault }

    var durations: [Duration] { fault == .hasNoFrame ? [] : [.seconds(1), .seconds(2)] }
    var loopCount: Int { 0 }
    var byteCount: Int { fault == .hasNegativeBytes ? -1 : 10 }
    func frame(at index: Int) async throws -> DecodedImage {
        if fault != .ignoresCancellation { try Task.checkCancellation() }
        let side = fault == .changesSize ? 4 + index : 4
        return try TestImages.solid(width: side, height: 4, red: UInt8(index * 50 + (fault == .forgets ? log.count : 0)))
    }
    func playbackEnded() { log.append(()) }
}

private func frames(_ rule: String, _ fault: FaultyFrames.Fault) -> Proof {
    Proof("AnimationFrames.\(rule)", "\(fault)") { try await checkAnimationFramesConformance { FaultyFrames(fault) } }
}

let animationFramesProofs = [
    frames("hasPlausibleTimes", .hasNegativeBytes), frames("keepsSize", .changesSize), frames("repeatsFrames", .forgets),
    frames("stopsWhenCancelled", .ignoresCancellation),
]
