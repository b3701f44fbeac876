import CCalotypeGTKStage
import CalotypeTesting
import ImageCore
import ImageTargets
import ImageTargetsGTK

/// Tests of an image view in a window of 400 × 300: its size, whether it is on screen, its signs, and signals.
@safe final class ViewScenario: Scenario {
    private let provider = ScriptedProvider()
    private let request = ImageRequest(url: URL(string: "https://example.org/1.jpg")!)
    private var window: UnsafeMutableRawPointer?

    var windowSize: (width: Int, height: Int) { (400, 300) }

    func start(in window: UnsafeMutableRawPointer) {
        unsafe self.window = unsafe window
        Task {
            do {
                try await checkSize()
                try await checkNaturalSize()
                try await checkLateTarget()
                try await checkFailure()
                try await checkSmallView()
                try await checkAnimation()
                checkSignals()
            } catch {
                printLine("FAILED \(error)")
            }
            clt_stage_quit()
        }
    }

    /// Outside an asynchronous context, the call shows its effect before it returns.
    private func set(_ request: ImageRequest, of target: ImageTarget<GTKImageView>) { target.setImage(request) }

    private func checkSize() async throws {
        let view = GTKImageView(contentMode: .fit)
        let target = view.makeTarget(loader: provider)
        set(request, of: target)
        expect(provider.loads.isEmpty && !target.isVisible, "waits for its layout")
        unsafe clt_stage_set_child(window, view.widget)
        try await expect("sizes the request") { provider.loads.count == 1 }
        let first = provider.loads[0]
        expect(first.request.options.targetSize == PixelSize(width: 400, height: 300), "has the size of its container")
        expect(first.request.options.contentMode == .fit && target.isVisible, "is on screen")
        unsafe clt_stage_set_visible(view.widget, false)
        try await expect("is off screen") { first.priority == .veryLow && !target.isVisible }
        unsafe clt_stage_set_visible(view.widget, true)
        try await expect("is on screen again") { first.priority == .normal && target.isVisible }
        first.succeed(try TestImages.solid(width: 400, height: 300, red: 9))
        try await expect("shows the image") { !view.isBlank }
        unsafe clt_stage_set_size(view.widget, 600, 500)
        try await expect("loads again when it grows") { provider.loads.count == 2 }
        expect(provider.loads[1].request.options.targetSize == PixelSize(width: 600, height: 500), "has its new size")
        expect(!view.isBlank, "shows its image meanwhile")
    }

    private func checkNaturalSize() async throws {
        let view = GTKImageView(contentMode: .fit)
        unsafe clt_stage_center(view.widget, true)
        set(request, of: view.makeTarget(loader: provider))
        let count = provider.loads.count
        unsafe clt_stage_set_child(window, view.widget)
        try await expect("loads the full size") { provider.loads.count == count + 1 }
        expect(provider.loads[count].request.options.targetSize == nil, "has no target size")
        provider.loads[count].succeed(try TestImages.solid(width: 120, height: 80, red: 9))
        try await expect("takes the size of its image") { view.size == PixelSize(width: 120, height: 80) }
    }

    /// A target that is made when the view has been on screen for a frame.
    private func checkLateTarget() async throws {
        guard let window = unsafe window else { return }
        let view = GTKImageView(contentMode: .fit)
        var isPainted = false
        unsafe afterEachPaint(of: window) { isPainted = view.isMapped }
        unsafe clt_stage_set_child(window, view.widget)
        try await expect("is painted without a target") { isPainted }
        let count = provider.loads.count
        set(request, of: view.makeTarget(loader: provider))
        try await expect("starts the load of a late target") { provider.loads.count == count + 1 }
        let size = provider.loads.last?.request.options.targetSize
        expect(size == view.devicePixels(view.size), "a late target has the size of its view")
    }

    private func checkFailure() async throws {
        let view = GTKImageView(contentMode: .fit)
        let target = view.makeTarget(loader: provider)
        let count = provider.loads.count
        view.onRetry = { [weak target, request] in target?.setImage(request) }
        unsafe clt_stage_set_child(window, view.widget)
        set(request, of: target)
        try await expect("loads") { provider.loads.count == count + 1 }
        provider.loads[count].fail(ImageError(.invalidRequest, message: "The image is missing."))
        try await expect("has failed") { view.hasFailed && view.failureMessage == "The image is missing." }
        let label = unsafe clt_stage_find(view.widget, "label")
        expect(unsafe clt_stage_text(label).map { unsafe String(cString: $0) } == "The image is missing.", "says why")
        expect(unsafe clt_stage_tooltip(view.widget) == nil, "has no tooltip over the sentence")
        guard let button = unsafe clt_stage_find(view.widget, "button") else { return expect(false, "has a button") }
        expect(unsafe clt_stage_is_focusable(button), "has a button for the keyboard")
        unsafe clt_stage_click(button)
        try await expect("tries again") { provider.loads.count == count + 2 && !view.hasFailed }
    }

    private func checkSmallView() async throws {
        let view = GTKImageView()
        unsafe clt_stage_set_size(view.widget, 64, 64)
        unsafe clt_stage_center(view.widget, true)
        let target = view.makeTarget(loader: provider)
        let count = provider.loads.count
        var marked = request
        marked.options.showsTierBadge = true
        unsafe clt_stage_set_child(window, view.widget)
        set(marked, of: target)
        try await expect("loads at 64 pixels") {
            provider.loads.last?.request.options.targetSize == PixelSize(width: 64, height: 64)
        }
        provider.loads[count].send(.progress(LoadProgress(received: 1, expected: 2)))
        try await expect("shows the progress") { view.progress == 0.5 }
        let bar = unsafe clt_stage_find(view.widget, "trough")
        let width = unsafe width(of: bar)
        expect(width > 0 && width <= 64, "the progress bar fits the view, it has \(width) pixels")
        provider.loads[count].succeed(try TestImages.solid(width: 64, height: 64, red: 9), tier: .disk)
        try await expect("shows a badge") { view.badge == "D" && !view.isLoading }
        view.clear()
        expect(view.badge == nil, "hides the badge")
        view.setFailure(ImageError(.invalidRequest, message: "The image is missing."))
        let label = unsafe clt_stage_find(view.widget, "box").flatMap { unsafe clt_stage_find($0, "label") }
        expect(unsafe view.hasFailed && label == nil, "a small view shows no sentence")
        expect(unsafe clt_stage_tooltip(view.widget) != nil, "a small view has a tooltip")
    }

    /// An animation plays while its view is on screen and the desktop enables animations.
    private func checkAnimation() async throws {
        let view = GTKImageView()
        let clock = SleepCounter()
        var image = try TestImages.solid(width: 400, height: 300, red: 50)
        image.animation = AnimatedImage(RedFrames(), clock: clock)
        let count = provider.loads.count
        unsafe clt_stage_set_child(window, view.widget)
        set(request, of: view.makeTarget(loader: provider))
        try await expect("loads an animation") { provider.loads.count == count + 1 }
        provider.loads[count].succeed(image)
        try await expect("plays it") { view.middleColor()?[0] == 50 && clock.sleeps == 1 }
        clock.manual.advance(by: .milliseconds(100))
        try await expect("shows the next frame") { view.middleColor()?[0] == 150 }
        unsafe clt_stage_set_visible(view.widget, false)
        try await expect("pauses it off screen") { clock.sleeps == 0 }
        unsafe clt_stage_set_visible(view.widget, true)
        try await expect("plays it again on screen") { clock.sleeps == 1 }
        clt_stage_set_animates(false)
        try await expect("stops it where animations are switched off") {
            clock.sleeps == 0 && view.middleColor()?[0] == 50
        }
        clt_stage_set_animates(true)
        try await expect("plays it where they are switched on") { clock.sleeps == 1 }
        view.clear()
    }

    private func width(of widget: UnsafeMutableRawPointer?) -> Int {
        guard let widget = unsafe widget else { return 0 }
        return Int(unsafe clt_stage_width(widget))
    }

    private func checkSignals() {
        guard let button = unsafe clt_stage_button() else { return expect(false, "makes a button") }
        var counter: Counter? = Counter()
        weak let released = counter
        let clicks = unsafe GTKSignals.connect(button, "clicked") { [counter] in counter?.clicks += 1 }
        let properties = unsafe GTKSignals.connect(button, "notify::sensitive") { [counter] arguments in
            counter?.notifications += unsafe arguments.count == 1 && arguments.pointer(0) != nil ? 1 : 0
            return true
        }
        unsafe clt_stage_click(button)
        unsafe clt_stage_set_sensitive(button, false)
        expect(counter?.clicks == 1 && counter?.notifications == 1, "receives signals")
        clicks.disconnect()
        clicks.disconnect()
        unsafe clt_stage_click(button)
        expect(counter?.clicks == 1 && !clicks.isConnected && properties.isConnected, "is disconnected")
        counter = nil
        let isKept = released != nil
        unsafe clt_stage_release(button)
        expect(isKept && released == nil && !properties.isConnected, "is released with its object")
    }
}

/// A clock that counts the sleeps under way: one while an animation plays, none while it is paused.
private final class SleepCounter: Clock {
    let manual = ManualClock()
    private let count = Lock(0)
    var sleeps: Int { count.withLock { $0 } }
    var now: ManualClock.Instant { manual.now }
    var minimumResolution: Duration { manual.minimumResolution }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        count.withLock { $0 += 1 }
        defer { count.withLock { $0 -= 1 } }
        try await manual.sleep(until: deadline, tolerance: tolerance)
    }
}

/// Two frames, of the reds 50 and 150.
private struct RedFrames: AnimationFrames {
    let durations: [Duration] = [.milliseconds(100), .milliseconds(100)]
    let loopCount = 0
    let byteCount = 0
    func frame(at index: Int) async throws -> DecodedImage {
        try TestImages.solid(width: 400, height: 300, red: index == 0 ? 50 : 150)
    }
}

@MainActor private final class Counter {
    var clicks = 0
    var notifications = 0
}
