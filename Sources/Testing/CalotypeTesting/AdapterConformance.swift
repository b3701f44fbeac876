public import ImageCore
internal import ImageTargets

/// What a view shows at one moment, as far as its adapter has a way to show it. What is `nil` is not checked.
public struct ViewAppearance: Hashable, Sendable {
    /// Red, green and blue in the middle of the view, 0 to 255; empty when nothing is shown. Colours may be off by 4.
    public var color: [UInt8]
    /// Whether a spinner or the like shows that a load runs.
    public var isLoading: Bool?
    /// Whether it shows that a load failed, beside the failure image.
    public var hasFailed: Bool?
    /// What a screen reader says; empty for nothing.
    public var label: String?

    public init(color: [UInt8], isLoading: Bool? = nil, hasFailed: Bool? = nil, label: String? = nil) {
        self.color = color
        self.isLoading = isLoading
        self.hasFailed = hasFailed
        self.label = label
    }
}

/// Checks that an adapter shows what a target tells it, in every situation that the binding rules know: placeholder,
/// preview, image, memory hit, replacement, failure, reuse, and requests that come while a call suspends, when calls must not
/// overlap.
///
/// ```swift
/// // In a test, with an adapter of your own:
/// try await checkImageViewAdapterConformance(of: RecordingView()) { await $0.appearance }
/// ```
///
/// - Parameters:
///   - view: a fresh view that shows nothing.
///   - showsPlaceholders: whether the adapter shows placeholders; a terminal that scrolls does not.
///   - canClear: whether the adapter can take back what it showed; a terminal that scrolls and a file cannot.
///   - appearance: what the view shows, once everything that was asked of it is carried out.
/// - Throws: ``ConformanceFailure`` with the first thing that is wrong.
public func checkImageViewAdapterConformance<View: ImageViewAdapter>(
    of view: View, showsPlaceholders: Bool = true, canClear: Bool = true,
    appearance: @escaping @Sendable (View) async -> ViewAppearance
) async throws {
    let check = AdapterCheck(view: view, showsPlaceholders: showsPlaceholders, canClear: canClear, appearance: appearance)
    try await check.aLoad()
    try await check.aMemoryHit()
    try await check.aReplacement()
    try await check.aFailure()
    try await check.reuse()
    try await check.shapes()
    try await check.callsThatSuspend()
}

/// One actor drives the view, since its calls are awaited one by one.
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

    func aLoad() async throws {
        let completed = EventLog<Void>()
        let request = request("load") {
            $0.placeholder = .color(red: 0, green: 150 / 255, blue: 0, alpha: 1)
            $0.accessibilityLabel = "A picture"
        }
        await target.setImage(request) { _ in completed.append(()) }
        try await expect("While an image loads", showsPlaceholders ? Self.green : nil, isLoading: true, label: "A picture")
        let load = try lastLoad()
        load.send(.progress(LoadProgress(received: 1, expected: 2)))
        load.succeed(try Self.picture(Self.red))
        await completed.wait(forCount: 1)
        try await expect("After an image was loaded", Self.red, isLoading: false, hasFailed: false, label: "A picture")
        await target.setImage(request) { _ in completed.append(()) }
        try ConformanceFailure.require(provider.running.isEmpty, "The same request again started a load.")
    }

    func aMemoryHit() async throws {
        let request = request("hit") { $0.placeholder = .color(red: 0, green: 150 / 255, blue: 0, alpha: 1) }
        provider.cache(try Self.picture(Self.blue), for: request)
        await target.setImage(request)
        try await expect("After a memory hit", Self.blue, isLoading: false, hasFailed: false, label: "")
    }

    func aReplacement() async throws {
        let completed = EventLog<String>()
        await target.setImage(request("old") { $0.placeholder = .image(try? Self.picture(Self.gray)) }) { _ in
            completed.append("old")
        }
        try await expect("While an image loads behind a placeholder image", showsPlaceholders ? Self.gray : nil)
        let old = try lastLoad()
        await target.setImage(request("new")) { _ in completed.append("new") }
        try await expect("While an image loads without placeholder", canClear ? [] : nil, isLoading: true)
        try ConformanceFailure.require(old.isCancelled, "The load of a replaced request was not cancelled.")
        old.succeed(try Self.picture(Self.red))
        var preview = try Self.picture(Self.green)
        preview.isPreview = true
        let load = try lastLoad()
        load.send(.preview(preview))
        load.succeed(try Self.picture(Self.blue))
        await completed.wait(forCount: 1)
        try await expect("After the second of two requests was loaded", Self.blue, isLoading: false)
        try ConformanceFailure.require(completed.events == ["new"], "The completion of a replaced request was called.")
    }

    func aFailure() async throws {
        let completed = EventLog<Void>()
        await target.setImage(request("broken") { $0.failureImage = try? Self.picture(Self.gray) }) { _ in completed.append(()) }
        try lastLoad().fail(ImageError(.corrupt, message: "The picture is broken."))
        await completed.wait(forCount: 1)
        try await expect(
            "After a failure with a failure image", showsPlaceholders ? Self.gray : nil, isLoading: false, hasFailed: true)
        await target.setImage(request("mended")) { _ in completed.append(()) }
        try lastLoad().succeed(try Self.picture(Self.red))
        await completed.wait(forCount: 2)
        try await expect("When an image follows a failure", Self.red, isLoading: false, hasFailed: false)
    }

    func reuse() async throws {
        await target.setImage(request("reused"))
        let load = try lastLoad()
        await target.clear()
        try await expect("When a view is reused", canClear ? [] : nil, isLoading: false, hasFailed: false)
        load.succeed(try Self.picture(Self.red))
        let completed = EventLog<Void>()
        await target.setImage(request("next")) { _ in completed.append(()) }
        try lastLoad().succeed(try Self.picture(Self.green))
        await completed.wait(forCount: 1)
        try await expect("After a view was reused", Self.green)
    }

    /// Grey, transparency, one pixel, rows that end in padding.
    func shapes() async throws {
        for (name, image) in try Self.shapes() {
            let request = request("shape-\(name)")
            provider.cache(image, for: request)
            await target.setImage(request)
            try await expect("With \(name)", [100, 100, 100])
        }
    }

    /// An image on its way into the view when another request comes and is cancelled, replaced or cleared.
    func callsThatSuspend() async throws {
        let slow = SuspendingView(view)
        let target = ImageTarget(slow, loader: provider)
        func suspend(_ name: String) async throws -> Gate {
            let gate = Gate()
            await slow.holdImages(at: gate)
            await target.setImage(request(name))
            try lastLoad().succeed(try Self.picture(Self.red))
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
            try ConformanceFailure.require(overlap == nil, "Calls overlapped: \(overlap ?? "").")
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
        provider.cache(try Self.picture(Self.blue), for: hit)
        await target.setImage(hit)
        try await finish(gate)
        try await expect("After a memory hit while an image was set", Self.blue, isLoading: false)
    }

    private static func shapes() throws -> [(String, DecodedImage)] {
        let gray = try unsafe Bitmap(size: PixelSize(width: 30, height: 20), format: .gray8, alpha: .opaque) { pixels, _ in
            for index in pixels.indices { unsafe pixels[index] = 100 }
        }
        let deep = try unsafe Bitmap(size: PixelSize(width: 9, height: 9), format: .rgba16, alpha: .opaque) { pixels, _ in
            for index in pixels.indices { unsafe pixels[index] = index % 8 > 5 ? 255 : 100 }
        }
        return [
            ("a grey picture", DecodedImage(gray)),
            ("a picture of 16 bits a channel", DecodedImage(deep)),
            ("a picture of one pixel", try TestImages.solid(width: 1, height: 1, red: 100, green: 100, blue: 100)),
            ("a picture of an odd width", try TestImages.solid(width: 17, height: 5, red: 100, green: 100, blue: 100)),
        ]
    }

    private static func picture(_ color: [UInt8]) throws -> DecodedImage {
        try TestImages.solid(width: 24, height: 24, red: color[0], green: color[1], blue: color[2])
    }

    private func request(_ name: String, _ change: (inout OptionLayer) -> Void = { _ in }) -> ImageRequest {
        var options = OptionLayer()
        change(&options)
        return ImageRequest(.bytes(Data(), id: "conformance-\(name)"), options: options)
    }

    private func lastLoad() throws -> ScriptedLoad {
        guard let load = provider.loads.last else { throw ConformanceFailure("No load was started.") }
        return load
    }

    private func expect(
        _ when: String, _ color: [UInt8]?, isLoading: Bool? = nil, hasFailed: Bool? = nil, label: String? = nil
    ) async throws {
        let seen = await appearance(view)
        if let color {
            let isClose =
                seen.color.count == color.count && zip(seen.color, color).allSatisfy { abs(Int($0) - Int($1)) <= 4 }
            try ConformanceFailure.require(isClose, "\(when), the view shows \(seen.color), not \(color).")
        }
        func same<T: Equatable>(_ seen: T?, _ wanted: T?, _ what: String) throws {
            guard let seen, let wanted, seen != wanted else { return }
            throw ConformanceFailure("\(when), the view's \(what) is \(seen), not \(wanted).")
        }
        try same(seen.isLoading, isLoading, "sign of loading")
        try same(seen.hasFailed, hasFailed, "sign of failure")
        try same(seen.label, label, "accessibility label")
    }
}

extension Placeholder {
    fileprivate static func image(_ image: DecodedImage?) -> Placeholder { image.map { .image($0) } ?? .none }
}
