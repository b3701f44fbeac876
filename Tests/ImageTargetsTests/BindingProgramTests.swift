import CalotypeTesting
import ImageCore
import ImageTargets
import Testing

/// Random programs against the binding rules, on every adapter that can be looked at here.
@Suite(.timeLimit(.minutes(5))) struct BindingPrograms {
    /// Not even for a moment: this view notes whatever it is shown besides what it wants.
    @Test @MainActor func noViewEverGetsAForeignPictureOrCompletionInTenThousandPrograms() async throws {
        let faults = EventLog<String>()
        try await checkImageViewAdapterPrograms(
            onRequest: { view, number in view.wanted = number }, makeView: { JudgingView(faults) }, appearance: { $0.appearance })
        #expect(faults.events.isEmpty)
    }

    /// The view is an actor of its own: every call suspends.
    @Test @MainActor func viewsOnActorsOfTheirOwnShowWhatTheyWereAskedForInTenThousandPrograms() async throws {
        try await checkImageViewAdapterPrograms(makeView: { RecordingView() }, appearance: { await $0.appearance })
    }

    /// Every call suspends in its middle, where a call of a newer request could overtake it.
    @Test @MainActor func callsThatSuspendNeverOverlapInTwoThousandPrograms() async throws {
        let overlaps = EventLog<String>()
        try await checkImageViewAdapterPrograms(
            2_000, makeView: { SuspendingView(RecordingView(), overlaps: overlaps) }, appearance: { await $0.view.appearance })
        #expect(overlaps.events.isEmpty)
    }
}

/// A view that knows what it may be shown, and notes whatever else comes.
@MainActor private final class JudgingView: MainActorImageView {
    var wanted: Int?
    private(set) var appearance = ViewAppearance(color: [])
    private let faults: EventLog<String>

    init(_ faults: EventLog<String>) { self.faults = faults }

    func setImage(_ image: DecodedImage, transition: Transition) {
        let pixel = TestImages.pixel(of: image, x: 0, y: 0)
        appearance.color = Array(pixel[0..<3])
        if wanted.map(programRed(of:)) != pixel[0] {
            faults.append("A view was shown \(pixel) while it wanted \(String(describing: wanted)).")
        }
    }

    func setPlaceholder(_ placeholder: Placeholder) { appearance.color = [] }
    func clear() { appearance.color = [] }
    func setFailure(_ error: ImageError) { if wanted == nil { faults.append("A view failed while it wanted nothing.") } }
}
