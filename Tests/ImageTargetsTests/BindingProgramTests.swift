import CalotypeTesting
import ImageCore
import ImageTargets
import Testing

/// Random programs against the binding rules: whatever is set, replaced, reused, scrolled away or deallocated, and in
/// whatever order the loads' events come, a view shows and completes only what is its own.
@Suite(.timeLimit(.minutes(5))) struct BindingPrograms {
    @Test @MainActor func noViewEverGetsAForeignPictureOrCompletionInTenThousandPrograms() async throws {
        for seed in 0..<10_000 as Range<UInt64> {
            let program = BindingProgram(seed: seed)
            try await program.run()
            guard program.faults.isEmpty else {
                Issue.record("Program \(seed): \(program.faults.joined(separator: "; "))")
                return
            }
        }
    }
}

/// One program: some views, and steps drawn from a seed.
@MainActor private final class BindingProgram {
    private static let pictures = (0..<8).map { try? TestPictures.solid(width: 1, height: 1, red: UInt8($0)) }
    private static let failurePictures = (0..<8).map { try? TestPictures.solid(width: 1, height: 1, red: UInt8(100 + $0)) }

    private let provider = ScriptedProvider()
    private let log = FaultLog()
    private var random: SeededGenerator
    private var views: [JudgedView] = []

    var faults: [String] { log.faults }

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        for index in 0..<3 { views.append(JudgedView("view \(index)", provider, log)) }
    }

    func run() async throws {
        for _ in 0..<24 { try await step() }
        // Everything that still runs comes to its end; then each view must show what it was asked for.
        for view in views { view.target.setVisible(true) }
        while let load = provider.running.first { try finish(load) }
        while views.contains(where: { $0.isWaiting }) { await Task.yield() }
        for view in views { view.judgeAtRest() }
    }

    private func step() async throws {
        let view = views.randomElement(using: &random)!
        switch Int.random(in: 0..<16, using: &random) {
        case 0...3: try set(view)
        case 4: try await setSuspending(view)
        case 5: view.reuse()
        case 6: view.cancel()
        case 7, 8: view.target.setVisible(Bool.random(using: &random))
        case 9:
            // A view goes, its target with it; another takes its place.
            views.removeAll { $0 === view }
            views.append(JudgedView("view after \(view.name)", provider, log))
        case 10: await Task.yield()
        case 11:
            guard let load = provider.running.randomElement(using: &random) else { return }
            var preview = Self.pictures[try number(of: load)]!
            preview.isPreview = true
            load.send(.preview(preview))
        case 12:
            let name = Int.random(in: 0..<8, using: &random)
            provider.cache(Self.pictures[name]!, for: request(name, offScreen: .keeps))
        default:
            guard let load = provider.running.randomElement(using: &random) else { return }
            try finish(load)
        }
    }

    private func set(_ view: JudgedView) throws {
        let name = Int.random(in: 0..<8, using: &random)
        view.set(name, request(name, offScreen: OffScreenPolicy.allCases.randomElement(using: &random)!))
    }

    private func setSuspending(_ view: JudgedView) async throws {
        let name = Int.random(in: 0..<8, using: &random)
        await view.setSuspending(name, request(name, offScreen: .cancels))
    }

    private func finish(_ load: ScriptedLoad) throws {
        let name = try number(of: load)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: load.fail(ImageError(.connectionLost, message: "The line broke."))
        default: load.succeed(Self.pictures[name]!, tier: CacheTier.allCases.randomElement(using: &random)!)
        }
    }

    private func number(of load: ScriptedLoad) throws -> Int {
        guard case .bytes(_, let id) = load.request.source, let number = Int(id) else { throw CancellationError() }
        return number
    }

    private func request(_ name: Int, offScreen: OffScreenPolicy) -> ImageRequest {
        var request = ImageRequest(.bytes(Data(), id: "\(name)"))
        request.options.offScreenPolicy = offScreen
        request.options.failureImage = Self.failurePictures[name]
        return request
    }
}

/// A view that knows what it was asked to show, and notes whatever else comes.
@MainActor private final class JudgedView: MainActorImageView {
    let name: String
    private let provider: ScriptedProvider
    private let log: FaultLog
    private(set) lazy var target = ImageTarget(self, loader: provider)
    /// The number of what was asked for last; `nil` when nothing may come.
    private var wanted: Int?
    private var shown: Int?
    /// Counts what was asked for; those of older numbers must not complete.
    private var generation = 0
    /// Whether the last request's completion has not been called.
    private(set) var isWaiting = false

    init(_ name: String, _ provider: ScriptedProvider, _ log: FaultLog) {
        (self.name, self.provider, self.log) = (name, provider, log)
    }

    func set(_ number: Int, _ request: ImageRequest) { target.setImage(request, completion: begin(number)) }

    func setSuspending(_ number: Int, _ request: ImageRequest) async {
        let completion = begin(number)
        await target.setImage(request) { await completion($0) }
    }

    func cancel() {
        if isWaiting { (wanted, isWaiting) = (nil, false) }
        target.cancel()
    }

    func reuse() {
        (wanted, isWaiting) = (nil, false)
        target.clear()
        shown = nil
    }

    func judgeAtRest() {
        if let wanted, shown != wanted { log.add("\(name) shows \(String(describing: shown)) at rest, not \(wanted)") }
    }

    /// The completion of a request that begins now.
    private func begin(_ number: Int) -> ImageTarget<JudgedView>.MainActorCompletion {
        let (name, log) = (name, log)
        guard wanted != number else { return { _ in log.add("\(name) completed a request that it had already") } }
        generation += 1
        (wanted, isWaiting) = (number, true)
        return { [weak self, generation] result in
            guard let self else { return log.add("\(name) completed after it was gone") }
            complete(result, number, generation)
        }
    }

    private func complete(_ result: Result<ImageResponse, LoadFailure>, _ number: Int, _ generation: Int) {
        guard generation == self.generation, isWaiting, wanted == number else {
            return log.add("\(name) completed \(number) while it wanted \(String(describing: wanted))")
        }
        isWaiting = false
        switch result {
        case .success(let response):
            if Self.number(of: response.image) != number { log.add("\(name) completed \(number) with another picture") }
        case .failure(.failed): wanted = nil
        case .failure(.cancelled): log.add("\(name) completed a cancelled load")
        }
    }

    func setImage(_ image: DecodedImage, transition: Transition) {
        let number = Self.number(of: image)
        if wanted != number { log.add("\(name) was shown \(number) while it wanted \(String(describing: wanted))") }
        if !isWaiting { log.add("\(name) was shown \(number) after the end") }
        shown = number
    }

    func setPlaceholder(_ placeholder: Placeholder) {}
    func clear() {}
    func setFailure(_ error: ImageError) { if !isWaiting { log.add("\(name) failed after the end") } }

    /// Of a picture, or of the failure picture that belongs to it.
    private static func number(of image: DecodedImage) -> Int { Int(TestPictures.pixel(of: image, x: 0, y: 0)[0]) % 100 }
}

@MainActor private final class FaultLog: Sendable {
    private(set) var faults: [String] = []
    func add(_ fault: String) { faults.append(fault) }
}
