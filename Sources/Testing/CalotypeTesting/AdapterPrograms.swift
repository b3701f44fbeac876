public import ImageCore
internal import ImageTargets

/// Puts an adapter through random programs of set, replace, cancel, reuse, scroll away, come back and deallocate, while loads
/// bring previews, succeed and fail in any order; views of one program share a loader. Whatever the order, a completion is called
/// once and only for what was asked for last, and in the end each view shows what it was asked for last.
///
/// Where a view's calls suspend, what was on its way decides: a view that goes is told of its own load's end only if that was on
/// its way already; a failure on its way makes the same request either a new one or, as always before, none. Which of the two
/// cannot be told from outside; that exactly one of them completes can.
///
/// Complements ``checkImageViewAdapterConformance(of:showsPlaceholders:forgets:look:)``, which goes through each situation once.
///
/// - Parameters:
///   - count: programs, each of 24 steps.
///   - showsFailureImages: whether the view shows failure images.
///   - forgets: whether the view shows nothing once it is cleared.
///   - onWish: called with the number of the picture that a view may be shown from now on, before it is asked for; `nil` for
///     none. The picture of number n has the red value ``programRed(of:)``; its failure image has the same one and blue 250.
///   - makeView: a new view, which nobody else keeps.
///   - look: what the view shows.
/// - Throws: ``ConformanceFailure`` with the number of the first program that failed, and how.
@MainActor public func checkImageViewAdapterPrograms<View: ImageViewAdapter>(
    _ count: Int = 10_000, showsFailureImages: Bool = true, forgets: Bool = true,
    onWish: @escaping @MainActor (View, Int?) -> Void = { _, _ in }, makeView: @escaping @MainActor () throws -> View,
    look: @escaping @MainActor (View) async -> ViewAppearance
) async throws {
    let kind = ProgramKind<View>(
        showsFailureImages: showsFailureImages, forgets: forgets, onWish: onWish, makeView: makeView, look: look,
        set: { target, request, completion in await target.setImage(request) { await completion($0) } },
        clear: { await $0.clear() }, cancel: { await $0.cancel() }, suspends: true)
    try await runPrograms(count, kind)
}

/// The same for views of the main actor, by the calls that do not suspend.
@MainActor public func checkImageViewAdapterPrograms<View: MainActorImageView>(
    _ count: Int = 10_000, showsFailureImages: Bool = true, forgets: Bool = true,
    onWish: @escaping @MainActor (View, Int?) -> Void = { _, _ in }, makeView: @escaping @MainActor () throws -> View,
    look: @escaping @MainActor (View) async -> ViewAppearance
) async throws {
    let kind = ProgramKind<View>(
        showsFailureImages: showsFailureImages, forgets: forgets, onWish: onWish, makeView: makeView, look: look,
        set: { target, request, completion in target.setImage(request, completion: completion) },
        clear: { $0.clear() as Void }, cancel: { $0.cancel() as Void }, suspends: false)
    try await runPrograms(count, kind)
}

/// The red value of a program's picture, from its number, 0 to 7.
public func programRed(of number: Int) -> UInt8 { UInt8(20 + 25 * number) }

@MainActor private func runPrograms<View: ImageViewAdapter>(_ count: Int, _ kind: ProgramKind<View>) async throws {
    let pictures = try (0..<8).map { try TestPictures.solid(width: 2, height: 2, red: programRed(of: $0)) }
    let failures = try (0..<8).map { try TestPictures.solid(width: 2, height: 2, red: programRed(of: $0), blue: 250) }
    for seed in 0..<UInt64(count) {
        let program = try AdapterProgram(seed, kind, pictures, failures)
        try await program.run()
        guard program.log.faults.isEmpty else {
            throw ConformanceFailure("Program \(seed): \(program.log.faults.joined(separator: "; ")).")
        }
    }
}

/// How the views of a program are made, asked and looked at.
private struct ProgramKind<View: ImageViewAdapter> {
    typealias Completion = @MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void
    var showsFailureImages: Bool
    var forgets: Bool
    var onWish: @MainActor (View, Int?) -> Void
    var makeView: @MainActor () throws -> View
    var look: @MainActor (View) async -> ViewAppearance
    var set: @MainActor (ImageTarget<View>, ImageRequest, @escaping Completion) async -> Void
    var clear: @MainActor (ImageTarget<View>) async -> Void
    var cancel: @MainActor (ImageTarget<View>) async -> Void
    var suspends: Bool
}

/// One program: some views, and steps drawn from a seed.
@MainActor private final class AdapterProgram<View: ImageViewAdapter> {
    let log = FaultLog()
    private let kind: ProgramKind<View>
    private let pictures: [DecodedImage]
    private let failures: [DecodedImage]
    private let provider = ScriptedProvider()
    private var random: SeededGenerator
    private var views: [ProgramView<View>] = []
    private var nextView = 2

    init(_ seed: UInt64, _ kind: ProgramKind<View>, _ pictures: [DecodedImage], _ failures: [DecodedImage]) throws {
        (self.kind, self.pictures, self.failures) = (kind, pictures, failures)
        random = SeededGenerator(seed: seed)
        for index in 0..<3 { try views.append(makeView("view \(index)")) }
    }

    private func makeView(_ name: String) throws -> ProgramView<View> {
        ProgramView(name, try kind.makeView(), kind, provider, log)
    }

    func run() async throws {
        for _ in 0..<24 { try await step() }
        // Everything that still runs comes to its end; then each view must show what it was asked for.
        for view in views { view.target.setVisible(true) }
        while let load = running.first { try finish(load) }
        // A fault may be a completion that never comes; then nothing is waited for.
        let end = ContinuousClock.now + .seconds(30)
        func isAtRest() -> Bool {
            !views.contains { $0.isWaiting || $0.target.isCallingView } && provider.running.isEmpty
        }
        while !isAtRest(), log.faults.isEmpty, ContinuousClock.now < end { await Task.yield() }
        if log.faults.isEmpty, !provider.running.isEmpty { log.add("a load went on whose view was gone") }
        for view in views { await view.judgeAtRest() }
    }

    /// The loads of views that are there. A view that goes may be kept by a call that suspends; its load, which nobody wants any
    /// more, must be cancelled once that returns, and until then brings nothing.
    private var running: [ScriptedLoad] {
        provider.running.filter { load in views.contains { $0.name == load.request.options.accessibilityLabel } }
    }

    private func step() async throws {
        let index = Int.random(in: 0..<views.count, using: &random)
        let view = views[index]
        switch Int.random(in: 0..<16, using: &random) {
        case 0...4:
            let number = Int.random(in: 0..<8, using: &random)
            let policy = OffScreenPolicy.allCases[Int.random(in: 0..<OffScreenPolicy.allCases.count, using: &random)]
            await view.set(number, request(number, of: view.name, offScreen: policy))
            // Whatever was on its way before, a load that runs now has not ended.
            if running.contains(where: { $0.request.options.accessibilityLabel == view.name }) { view.end.value = nil }
        case 5: await view.reuse()
        case 6: await view.cancel()
        case 7, 8: view.target.setVisible(Bool.random(using: &random))
        case 9:
            // A view goes, its target with it; another takes its place.
            nextView += 1
            views[index] = try makeView("view \(nextView)")
        case 10: await Task.yield()
        case 11:
            guard let load = running.randomElement(using: &random) else { return }
            var preview = pictures[try number(of: load)]
            preview.isPreview = true
            load.send(.preview(preview))
        case 12:
            let number = Int.random(in: 0..<8, using: &random)
            provider.cache(pictures[number], for: request(number, of: "", offScreen: .keepsPriority))
        default:
            guard let load = running.randomElement(using: &random) else { return }
            try finish(load)
        }
    }

    private func finish(_ load: ScriptedLoad) throws {
        let number = try number(of: load)
        let view = views.first { $0.name == load.request.options.accessibilityLabel }
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            view?.end.value = .failure
            load.fail(ImageError(.connectionLost, message: "The line broke."))
        default:
            view?.end.value = .success
            load.succeed(pictures[number], tier: Bool.random(using: &random) ? .disk : .network)
        }
    }

    private func number(of load: ScriptedLoad) throws -> Int {
        guard case .bytes(_, let id) = load.request.source, let number = Int(id) else {
            throw ConformanceFailure("A load was started that nobody asked for.")
        }
        return number
    }

    /// The view's name goes with it, so that a load's view can be told.
    private func request(_ number: Int, of view: String, offScreen: OffScreenPolicy) -> ImageRequest {
        var request = ImageRequest(.bytes(Data(), id: "\(number)"))
        request.options.accessibilityLabel = view
        request.options.offScreenPolicy = offScreen
        request.options.failureImage = failures[number]
        return request
    }
}

/// A view, its target, and what it was asked for.
@MainActor private final class ProgramView<View: ImageViewAdapter> {
    /// What the view has to show once nothing runs any more.
    private enum Wish: Equatable {
        case nothing
        case picture(Int)
        case failure(Int)
        /// It was cancelled, and shows whatever there was.
        case anything
    }

    let name: String
    let target: ImageTarget<View>
    private let view: View
    private let kind: ProgramKind<View>
    private let log: FaultLog
    private var wish = Wish.nothing
    /// Counts what was asked for; those of older numbers must not complete.
    private var generation = 0
    /// Whether the last request's completion has not been called.
    private(set) var isWaiting = false
    /// What was sent of the end of what was asked for last.
    let end = SentEnd()

    init(_ name: String, _ view: View, _ kind: ProgramKind<View>, _ provider: ScriptedProvider, _ log: FaultLog) {
        (self.name, self.view, self.kind, self.log) = (name, view, kind, log)
        target = ImageTarget(view, loader: provider)
    }

    func set(_ number: Int, _ request: ImageRequest) async {
        let (name, log) = (name, log)
        let isRepeated = wish == .picture(number)
        guard !isRepeated || kind.suspends && isWaiting && end.value == .failure else {
            return await kind.set(target, request) { _ in log.add("\(name) completed a request that it had already") }
        }
        if !isRepeated {
            generation += 1
            end.value = nil
        }
        (wish, isWaiting) = (.picture(number), true)
        kind.onWish(view, number)
        await kind.set(target, request) { [weak self, generation, end, suspends = kind.suspends] result in
            if let self { return complete(result, number, generation) }
            if !suspends || end.value == nil { log.add("\(name) completed after it was gone") }
            log.check(result, of: number, name)
        }
    }

    func cancel() async {
        if isWaiting {
            (wish, isWaiting) = (.anything, false)
            kind.onWish(view, nil)
        }
        await kind.cancel(target)
    }

    func reuse() async {
        (wish, isWaiting) = (.nothing, false)
        kind.onWish(view, nil)
        await kind.clear(target)
    }

    func judgeAtRest() async {
        if isWaiting { log.add("\(name) was never told of the end of \(wish)") }
        let seen = await kind.look(view).color
        let wanted: [UInt8]
        switch wish {
        case .picture(let number): wanted = [programRed(of: number), 0, 0]
        case .failure(let number) where kind.showsFailureImages: wanted = [programRed(of: number), 0, 250]
        case .nothing where kind.forgets: wanted = []
        case .nothing, .failure, .anything: return
        }
        let isClose = seen.count == wanted.count && zip(seen, wanted).allSatisfy { abs(Int($0) - Int($1)) <= 4 }
        if !isClose { log.add("\(name) shows \(seen) at rest, not \(wanted) (\(wish))") }
    }

    private func complete(_ result: Result<ImageResponse, LoadFailure>, _ number: Int, _ generation: Int) {
        guard generation == self.generation, isWaiting, wish == .picture(number) else {
            return log.add("\(name) completed \(number) while it wanted \(wish)")
        }
        isWaiting = false
        log.check(result, of: number, name)
        // What follows may try the same again.
        if case .failure = result { wish = .failure(number) }
    }
}

/// How a load that was asked for ended, as soon as that is on its way; outlives its view.
@MainActor private final class SentEnd {
    enum End { case success, failure }
    var value: End?
}

@MainActor private final class FaultLog: Sendable {
    private(set) var faults: [String] = []
    func add(_ fault: String) { faults.append(fault) }

    /// A completion's result must be that of its own request.
    func check(_ result: Result<ImageResponse, LoadFailure>, of number: Int, _ name: String) {
        switch result {
        case .success(let response):
            let red = TestPictures.pixel(of: response.image, x: 0, y: 0)[0]
            if red != programRed(of: number) { add("\(name) completed \(number) with another picture") }
        case .failure(.failed): break
        case .failure(.cancelled): add("\(name) completed a cancelled load")
        }
    }
}
