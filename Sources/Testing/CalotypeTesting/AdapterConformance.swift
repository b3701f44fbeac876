public import ImageCore
internal import ImageTargets

enum AdapterRule: String, ConformanceRules {
    static let plugIn = "ImageViewAdapter"
    case showsLoads = "The view shows the placeholder, the label and the spinner of a load, and then its image."
    case showsMemoryHits = "The view shows an image from memory at once."
    case showsTheLastRequest = "The view shows the image of the last of several requests."
    case showsFailures = "The view shows the failure image and a failure, until the next image comes."
    case clears = "A view that is reused shows nothing."
    case keepsImages = "The view keeps its image while it is fetched again, or if the request says so."
    case showsPixelFormats = "The view shows images of all pixel formats and sizes."
    case endsCallsInOrder = "The view shows the last call, if requests come while a call suspends."
    case followsPrograms = "In random programs each view shows the result of its last request, and each request completes once."
}

/// Checks that an adapter shows what its target sets, in each situation once.
///
/// The situations are: placeholder, image, memory hit, replaced request, failure, cleared view, an image that stays
/// until the next one is there, images of several pixel formats, and requests that arrive while a call of the adapter
/// is suspended. Previews are sent, but not checked.
///
/// ```swift
/// // In a test, with a custom adapter:
/// try await checkImageViewAdapterConformance(of: RecordingView()) { await $0.appearance }
/// ```
///
/// - Parameters:
///   - view: A new view that shows nothing.
///   - showsPlaceholders: Whether the adapter shows placeholders and failure images. By default `true`; a scrolling
///     terminal shows none.
///   - canClear: Whether the adapter can remove what it showed. By default `true`; a scrolling terminal and a file
///     cannot.
///   - limit: The longest time that each rule may take. By default 20 seconds.
///   - appearance: Returns what the view shows after the view has finished every call so far.
/// - Throws: ``ConformanceFailure`` with all violations.
public func checkImageViewAdapterConformance<View: ImageViewAdapter>(
    of view: View, showsPlaceholders: Bool = true, canClear: Bool = true, limit: Duration = .seconds(20),
    appearance: @escaping @Sendable (View) async -> ViewAppearance
) async throws {
    let check = AdapterCheck(view: view, showsPlaceholders: showsPlaceholders, canClear: canClear, appearance: appearance)
    let rules = RuleChecker<AdapterRule>(limit: limit)
    await rules.run(.showsLoads) { try await check.checkLoad() }
    await rules.run(.showsMemoryHits) { try await check.checkMemoryHit() }
    await rules.run(.showsTheLastRequest) { try await check.checkReplacement() }
    await rules.run(.showsFailures) { try await check.checkFailure() }
    await rules.run(.clears) { try await check.checkReuse() }
    await rules.run(.keepsImages) { try await check.checkKeptImages() }
    await rules.run(.showsPixelFormats) { try await check.checkPixelFormats() }
    await rules.run(.endsCallsInOrder) { try await check.checkSuspendedCalls() }
    try throwFailure(rules.violations)
}

private actor AdapterCheck<View: ImageViewAdapter> {
    private let view: View
    private let showsPlaceholders: Bool
    private let canClear: Bool
    private let appearance: @Sendable (View) async -> ViewAppearance
    private let provider = ScriptedProvider()
    private let target: ImageTarget<View>

    init(view: View, showsPlaceholders: Bool, canClear: Bool, appearance: @escaping @Sendable (View) async -> ViewAppearance) {
        (self.view, self.showsPlaceholders, self.canClear, self.appearance) = (view, showsPlaceholders, canClear, appearance)
        target = ImageTarget(view, loader: provider)
    }

    private static var red: [UInt8] { [200, 0, 0] }
    private static var blue: [UInt8] { [0, 0, 250] }
    private static var green: [UInt8] { [0, 150, 0] }
    private static var gray: [UInt8] { [60, 60, 60] }

    func checkLoad() async throws {
        let completed = EventLog<Void>()
        let request = request("load") {
            $0.placeholder = .color(red: 0, green: 150 / 255, blue: 0, alpha: 1)
            $0.accessibilityLabel = "An image"
        }
        await target.setImage(request) { _ in completed.append(()) }
        try await expect("While an image loads", showsPlaceholders ? Self.green : nil, isLoading: true, label: "An image")
        let load = try lastLoad()
        load.send(.progress(LoadProgress(received: 1, expected: 2)))
        load.succeed(try Self.image(Self.red))
        await completed.wait(forCount: 1)
        try await expect("After an image was loaded", Self.red, isLoading: false, hasFailed: false, label: "An image")
        await target.setImage(request) { _ in completed.append(()) }
        try require(provider.running.isEmpty, "Setting the same request a second time started a load.")
    }

    func checkMemoryHit() async throws {
        let request = request("hit") { $0.placeholder = .color(red: 0, green: 150 / 255, blue: 0, alpha: 1) }
        provider.cache(try Self.image(Self.blue), for: request)
        await target.setImage(request)
        try await expect("After a memory hit", Self.blue, isLoading: false, hasFailed: false, label: "")
    }

    func checkReplacement() async throws {
        let completed = EventLog<String>()
        let gray = try Self.image(Self.gray)
        await target.setImage(request("old") { $0.placeholder = .image(gray) }) { _ in completed.append("old") }
        try await expect("While an image loads behind a placeholder image", showsPlaceholders ? Self.gray : nil)
        let old = try lastLoad()
        await target.setImage(request("new")) { _ in completed.append("new") }
        try await expect("While an image loads without placeholder", canClear ? [] : nil, isLoading: true)
        try require(old.isCancelled, "The load of a replaced request was not cancelled.")
        old.succeed(try Self.image(Self.red))
        var preview = try Self.image(Self.green)
        preview.isPreview = true
        let load = try lastLoad()
        load.send(.preview(preview))
        load.succeed(try Self.image(Self.blue))
        await completed.wait(forCount: 1)
        try await expect("After the second of two requests was loaded", Self.blue, isLoading: false)
        try require(completed.events == ["new"], "The completion handler of a replaced request was called.")
    }

    func checkFailure() async throws {
        let completed = EventLog<Void>()
        await target.setImage(request("broken") { $0.failureImage = try? Self.image(Self.gray) }) { _ in completed.append(()) }
        try lastLoad().fail(ImageError(.corrupt, message: "The image is damaged."))
        await completed.wait(forCount: 1)
        try await expect(
            "After a failure with a failure image", showsPlaceholders ? Self.gray : nil, isLoading: false, hasFailed: true)
        await target.setImage(request("repaired")) { _ in completed.append(()) }
        try lastLoad().succeed(try Self.image(Self.red))
        await completed.wait(forCount: 2)
        try await expect("When an image follows a failure", Self.red, isLoading: false, hasFailed: false)
    }

    func checkReuse() async throws {
        await target.setImage(request("reused"))
        let load = try lastLoad()
        await target.clear()
        try await expect("When a view is reused", canClear ? [] : nil, isLoading: false, hasFailed: false)
        load.succeed(try Self.image(Self.red))
        let completed = EventLog<Void>()
        await target.setImage(request("next")) { _ in completed.append(()) }
        try lastLoad().succeed(try Self.image(Self.green))
        await completed.wait(forCount: 1)
        try await expect("After a view was reused", Self.green)
    }

    func checkKeptImages() async throws {
        let completed = EventLog<Void>()
        await target.setImage(request("kept")) { _ in completed.append(()) }
        try lastLoad().succeed(try Self.image(Self.red))
        await completed.wait(forCount: 1)
        await target.setImage(request("kept") { $0.cachePolicy = .reload }) { _ in completed.append(()) }
        try await expect("While the image of a view is fetched again", Self.red, hasFailed: false)
        try lastLoad().succeed(try Self.image(Self.blue))
        await completed.wait(forCount: 2)
        try await expect("After the image of a view was fetched again", Self.blue, isLoading: false, hasFailed: false)
        await target.setImage(request("after") { $0.keepsImageWhileLoading = true }) { _ in completed.append(()) }
        try await expect("While a view keeps its image", Self.blue, hasFailed: false)
        try lastLoad().succeed(try Self.image(Self.green))
        await completed.wait(forCount: 3)
        try await expect("After a view kept its image", Self.green, isLoading: false, hasFailed: false)
    }

    func checkPixelFormats() async throws {
        for (name, image) in try Self.grayImages() {
            let request = request("shape-\(name)")
            provider.cache(image, for: request)
            await target.setImage(request)
            try await expect("With \(name)", [100, 100, 100])
        }
    }

    /// Sets, cancels and clears requests while the view's `setImage` is suspended.
    func checkSuspendedCalls() async throws {
        let slow = SuspendingView(view)
        let target = ImageTarget(slow, loader: provider)
        func suspend(_ name: String) async throws -> Gate {
            let gate = Gate()
            await slow.holdImages(at: gate)
            await target.setImage(request(name))
            try lastLoad().succeed(try Self.image(Self.red))
            await gate.waitForArrivals(1)
            return gate
        }
        func finish(_ gate: Gate) async throws {
            gate.open()
            while target.isCallingView {
                try Task.checkCancellation()
                await Task.yield()
            }
            let overlap = slow.overlaps.events.first
            try require(overlap == nil, "Calls overlapped: \(overlap ?? "").")
        }
        var gate = try await suspend("suspended-cancel")
        await target.setImage(request("cancelled"))
        await target.cancel()
        try await finish(gate)
        let when = "After another request was cancelled while an image was set"
        try await expect(when, canClear ? [] : nil, isLoading: false, label: "")

        gate = try await suspend("suspended-clear")
        await target.clear()
        try await finish(gate)
        try await expect("After a view was cleared while an image was set", canClear ? [] : nil, isLoading: false)

        gate = try await suspend("suspended-replace")
        let hit = request("replacement")
        provider.cache(try Self.image(Self.blue), for: hit)
        await target.setImage(hit)
        try await finish(gate)
        try await expect("After a memory hit while an image was set", Self.blue, isLoading: false)
    }

    private static func grayImages() throws -> [(String, DecodedImage)] {
        let gray = try unsafe Bitmap(size: PixelSize(width: 30, height: 20), format: .gray8, alpha: .opaque) { pixels, _ in
            for index in pixels.indices { unsafe pixels[index] = 100 }
        }
        let deep = try unsafe Bitmap(size: PixelSize(width: 9, height: 9), format: .rgba16, alpha: .opaque) { pixels, _ in
            for index in pixels.indices { unsafe pixels[index] = index % 8 > 5 ? 255 : 100 }
        }
        return [
            ("a grayscale image", DecodedImage(gray)),
            ("an image of 16 bits per channel", DecodedImage(deep)),
            ("an image of one pixel", try TestImages.solid(width: 1, height: 1, red: 100, green: 100, blue: 100)),
            ("an image with an odd width", try TestImages.solid(width: 17, height: 5, red: 100, green: 100, blue: 100)),
        ]
    }

    private static func image(_ color: [UInt8]) throws -> DecodedImage {
        try TestImages.solid(width: 24, height: 24, red: color[0], green: color[1], blue: color[2])
    }

    private func request(_ name: String, _ change: (inout OptionLayer) -> Void = { _ in }) -> ImageRequest {
        var options = OptionLayer()
        change(&options)
        return ImageRequest(.bytes(Data(), id: "conformance-\(name)"), options: options)
    }

    private func lastLoad() throws -> ScriptedLoad {
        guard let load = provider.loads.last else { throw RuleViolation("No load was started.") }
        return load
    }

    private func expect(
        _ when: String, _ color: [UInt8]?, isLoading: Bool? = nil, hasFailed: Bool? = nil, label: String? = nil
    ) async throws {
        let seen = await appearance(view)
        if let color {
            try require(seen.isClose(to: color), "\(when), the view shows \(seen.color), not \(color).")
        }
        func expectEqual<T: Equatable>(_ seen: T?, _ expected: T?, _ property: String) throws {
            guard let seen, let expected, seen != expected else { return }
            throw RuleViolation("\(when), the view's \(property) is \(seen), not \(expected).")
        }
        try expectEqual(seen.isLoading, isLoading, "loading indicator")
        try expectEqual(seen.hasFailed, hasFailed, "failure indicator")
        try expectEqual(seen.label, label, "accessibility label")
    }
}
