public import ImageCore
internal import ImageTargets

/// Checks an adapter with random programs that set, replace, cancel, clear, hide, show and deallocate views.
///
/// Meanwhile loads send previews, succeed and fail in random order; the views of one program share a loader. In every
/// order, the completion handler of a view's last request must be called exactly once, the handlers of replaced
/// requests never, and at the end each view must show the result of its last request.
///
/// A main-actor view is driven by the calls of `ImageTarget` that do not suspend, so every result must arrive in order.
/// A view whose calls suspend may receive the end of a load late. The check then accepts both results that the order
/// allows: a view that is deallocated completes only when its load ended before; a request that is repeated after a
/// failure either starts a load or does not. In each case exactly one request must complete.
///
/// ``checkImageViewAdapterConformance(of:showsPlaceholders:canClear:limit:appearance:)`` checks each once.
///
/// - Parameters:
///   - count: The number of programs, each of 24 steps. By default 2,000.
///   - showsFailureImages: Whether the view shows failure images. By default `true`.
///   - canClear: Whether the view shows nothing after it is cleared. By default `true`.
///   - onRequest: Receives the view and the number of its next image, before the request is set, or `nil` when the view
///     must show no new image. Image number n has the red value ``programRed(of:)``; its failure image has the same red
///     value and blue 250. Does nothing by default.
///   - makeView: Makes a new view and keeps no reference to it. Its `imageSize()` must not be `pending`.
///   - appearance: Returns what the view shows.
/// - Throws: ``ConformanceFailure`` with the differences in the first program that failed, its number, and its steps:
///   as few of the first ones as fail.
@MainActor public func checkImageViewAdapterPrograms<View: ImageViewAdapter>(
    _ count: Int = 2_000, showsFailureImages: Bool = true, canClear: Bool = true,
    onRequest: @escaping @MainActor (View, Int?) -> Void = { _, _ in }, makeView: @escaping @MainActor () throws -> View,
    appearance: @escaping @MainActor (View) async -> ViewAppearance
) async throws {
    let kind = ProgramKind<View>(
        showsFailureImages: showsFailureImages, canClear: canClear, onRequest: onRequest, makeView: makeView,
        appearance: appearance)
    func program(_ seed: UInt64, steps: Int) async throws -> AdapterProgram<View> {
        let program = try AdapterProgram(seed, kind)
        try await program.run(steps: steps)
        return program
    }
    for seed in 0..<UInt64(count) {
        var failed = try await program(seed, steps: 24)
        guard failed.faults.count > 0 else { continue }
        for steps in 0..<24 {
            let shorter = try await program(seed, steps: steps)
            if shorter.faults.count > 0 {
                failed = shorter
                break
            }
        }
        let faults = failed.faults.events.joined(separator: "; ")
        let message = "\(faults). Steps of program \(seed): \(failed.trace.joined(separator: ", "))."
        throw ConformanceFailure(violations: [.init(rule: AdapterRule.followsPrograms.rule, message: message)])
    }
}

/// Returns the red value, 0 to 255, of a program's image.
///
/// - Parameter number: The number of the image, 0 to 7.
public func programRed(of number: Int) -> UInt8 { UInt8(20 + 25 * number) }

private func programImage(_ number: Int, blue: UInt8 = 0) throws -> DecodedImage {
    try TestImages.solid(width: 2, height: 2, red: programRed(of: number), blue: blue)
}

/// The calls of the target of a main-actor view, which do not suspend.
@MainActor private protocol MainActorCalls {
    func setImage(_ request: ImageRequest, completion: (@MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void)?)
    func cancel()
    func clear()
    func viewSizeChanged()
    func motionPreferenceChanged()
}

extension ImageTarget: MainActorCalls where View: MainActorImageView {}

/// The functions that make and inspect the views of a program.
private struct ProgramKind<View: ImageViewAdapter> {
    var showsFailureImages: Bool
    var canClear: Bool
    var onRequest: @MainActor (View, Int?) -> Void
    var makeView: @MainActor () throws -> View
    var appearance: @MainActor (View) async -> ViewAppearance
    /// Whether calls of the view may suspend.
    var suspends: Bool { !(View.self is any MainActorImageView.Type) }
}

/// One program: three views, and random steps that its seed determines.
@MainActor private final class AdapterProgram<View: ImageViewAdapter> {
    let faults = EventLog<String>()
    /// The steps so far, in words.
    private(set) var trace: [String] = []
    private let kind: ProgramKind<View>
    private let provider = ScriptedProvider()
    private var random: SeededGenerator
    private var views: [ProgramView<View>] = []
    private var nextView = 2

    init(_ seed: UInt64, _ kind: ProgramKind<View>) throws {
        self.kind = kind
        random = SeededGenerator(seed: seed)
        for index in 0..<3 { try views.append(makeView("view \(index)")) }
    }

    private func makeView(_ name: String) throws -> ProgramView<View> {
        ProgramView(name, try kind.makeView(), kind, provider, faults)
    }

    /// Runs the first steps of the program, and then finishes all loads.
    func run(steps: Int) async throws {
        for _ in 0..<steps { try await step() }
        // Finish every running load; then each view must show the result of its last request.
        for view in views { view.target.setVisible(true) }
        while let load = running.first { try finish(load) }
        // A completion that never comes is a fault, so the wait has a limit.
        let end = ContinuousClock.now + .seconds(30)
        func isIdle() -> Bool {
            !views.contains { $0.isWaiting || $0.target.isCallingView } && provider.running.isEmpty
        }
        while !isIdle(), faults.count == 0, ContinuousClock.now < end { await Task.yield() }
        if faults.count == 0, !provider.running.isEmpty { faults.append("a load kept running after its view was deallocated") }
        for view in views { await view.checkResult() }
    }

    /// The running loads of the current views. A suspended call may keep a removed view alive; its load must be
    /// cancelled when the call returns, and the program sends it no events until then.
    private var running: [ScriptedLoad] {
        provider.running.filter { load in views.contains { $0.name == load.request.options.accessibilityLabel } }
    }

    private func step() async throws {
        let index = Int.random(in: 0..<views.count, using: &random)
        let view = views[index]
        switch Int.random(in: 0..<17, using: &random) {
        case 0...4:
            let number = Int.random(in: 0..<8, using: &random)
            let policy = OffScreenPolicy.allCases[Int.random(in: 0..<OffScreenPolicy.allCases.count, using: &random)]
            trace.append("set image \(number) on \(view.name)")
            await view.set(number, try request(number, of: view.name, offScreen: policy))
            // The view's load is running, so an end that was sent before belongs to an older request.
            if running.contains(where: { $0.request.options.accessibilityLabel == view.name }) { view.end.value = nil }
        case 5:
            trace.append("clear \(view.name)")
            await view.reuse()
        case 6:
            trace.append("cancel \(view.name)")
            await view.cancel()
        case 7, 8:
            let isVisible = Bool.random(using: &random)
            trace.append("\(isVisible ? "show" : "hide") \(view.name)")
            view.target.setVisible(isVisible)
        case 9:
            // The view and its target are deallocated; a new view replaces them.
            nextView += 1
            trace.append("deallocate \(view.name), make view \(nextView)")
            views[index] = try makeView("view \(nextView)")
        case 10: await Task.yield()
        case 11:
            trace.append("change the size of \(view.name)")
            await view.changeSizeAndMotion()
        case 12:
            guard let load = running.randomElement(using: &random) else { return }
            var preview = try programImage(try number(of: load))
            preview.isPreview = true
            trace.append("send preview \(try number(of: load))")
            load.send(.preview(preview))
        case 13:
            let number = Int.random(in: 0..<8, using: &random)
            trace.append("cache image \(number)")
            provider.cache(try programImage(number), for: try request(number, of: "", offScreen: .keepsPriority))
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
            trace.append("load \(number) fails")
            view?.end.value = .failure
            load.fail(ImageError(.connectionLost, message: "The connection was lost."))
        default:
            trace.append("load \(number) succeeds")
            view?.end.value = .success
            load.succeed(try programImage(number), tier: Bool.random(using: &random) ? .disk : .network)
        }
    }

    private func number(of load: ScriptedLoad) throws -> Int {
        guard case .bytes(_, let id) = load.request.source, let number = Int(id) else {
            throw RuleViolation("A load was started for an unknown request.")
        }
        return number
    }

    /// The view's name is the request's label, which identifies the view of a load.
    private func request(_ number: Int, of view: String, offScreen: OffScreenPolicy) throws -> ImageRequest {
        var request = ImageRequest(.bytes(Data(), id: "\(number)"))
        request.options.accessibilityLabel = view
        request.options.offScreenPolicy = offScreen
        // A main-actor view may not be laid out in a test, and a load would wait for its size.
        request.options.sizesToTarget = kind.suspends
        request.options.failureImage = try programImage(number, blue: 250)
        return request
    }
}

/// A view, its target, and its last request.
@MainActor private final class ProgramView<View: ImageViewAdapter> {
    /// What the view must show when no load is running.
    private enum Expected: Equatable {
        case nothing
        case image(Int)
        case failure(Int)
        /// The request was cancelled; the view keeps what it showed.
        case anything
    }

    let name: String
    let target: ImageTarget<View>
    private let view: View
    private let kind: ProgramKind<View>
    private let faults: EventLog<String>
    private var expected = Expected.nothing
    /// The number of requests so far; older requests must not complete.
    private var generation = 0
    /// Whether the completion handler of the last request has not been called yet.
    private(set) var isWaiting = false
    /// The result that the last request's load has sent.
    let end = SentEnd()

    init(_ name: String, _ view: View, _ kind: ProgramKind<View>, _ provider: ScriptedProvider, _ faults: EventLog<String>) {
        (self.name, self.view, self.kind, self.faults) = (name, view, kind, faults)
        target = ImageTarget(view, loader: provider)
    }

    func set(_ number: Int, _ request: ImageRequest) async {
        let (name, faults) = (name, faults)
        let isRepeated = expected == .image(number)
        guard !isRepeated || kind.suspends && isWaiting && end.value == .failure else {
            return await set(request) { _ in faults.append("\(name) completed a request that was set a second time") }
        }
        if !isRepeated {
            generation += 1
            end.value = nil
        }
        (expected, isWaiting) = (.image(number), true)
        kind.onRequest(view, number)
        await set(request) { [weak self, generation, end, suspends = kind.suspends] result in
            if let self { return complete(result, number, generation) }
            if !suspends || end.value == nil { faults.append("\(name) completed after it was deallocated") }
            check(result, of: number, name, faults)
        }
    }

    func cancel() async {
        if isWaiting {
            (expected, isWaiting) = (.anything, false)
            kind.onRequest(view, nil)
        }
        if let calls { calls.cancel() } else { await target.cancel() }
    }

    func reuse() async {
        (expected, isWaiting) = (.nothing, false)
        kind.onRequest(view, nil)
        if let calls { calls.clear() } else { await target.clear() }
    }

    /// Makes the target ask the view for its size and for the preference of its user.
    func changeSizeAndMotion() async {
        if let calls {
            calls.viewSizeChanged()
            calls.motionPreferenceChanged()
        } else {
            await target.viewSizeChanged()
            await target.motionPreferenceChanged()
        }
    }

    private var calls: (any MainActorCalls)? { target as? any MainActorCalls }

    private func set(
        _ request: ImageRequest, _ completion: @escaping @MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void
    ) async {
        if let calls {
            calls.setImage(request, completion: completion)
        } else {
            await target.setImage(request) { await completion($0) }
        }
    }

    func checkResult() async {
        if isWaiting { faults.append("\(name) never completed its last request (\(expected))") }
        let seen = await kind.appearance(view)
        let color: [UInt8]
        switch expected {
        case .image(let number): color = [programRed(of: number), 0, 0]
        case .failure(let number) where kind.showsFailureImages: color = [programRed(of: number), 0, 250]
        case .nothing where kind.canClear: color = []
        case .nothing, .failure, .anything: return
        }
        if !seen.isClose(to: color) {
            faults.append("\(name) shows \(seen.color) at the end, not \(color) (\(expected))")
        }
    }

    private func complete(_ result: Result<ImageResponse, LoadFailure>, _ number: Int, _ generation: Int) {
        guard generation == self.generation, isWaiting, expected == .image(number) else {
            return faults.append("\(name) completed request \(number) while \(expected) was expected")
        }
        isWaiting = false
        check(result, of: number, name, faults)
        // After a failure the same request may be set again.
        if case .failure = result { expected = .failure(number) }
    }
}

/// The result that a load has sent. It outlives the view, which may be deallocated before the result arrives.
@MainActor private final class SentEnd {
    enum End { case success, failure }
    var value: End?
}

/// Adds a fault unless the result belongs to the request.
private func check(
    _ result: Result<ImageResponse, LoadFailure>, of number: Int, _ name: String, _ faults: EventLog<String>
) {
    switch result {
    case .success(let response):
        let red = TestImages.pixel(of: response.image, x: 0, y: 0)[0]
        if red != programRed(of: number) {
            faults.append("\(name) completed request \(number) with the image of another request")
        }
    case .failure(.failed): break
    case .failure(.cancelled): faults.append("\(name) completed a request with a cancellation")
    }
}
