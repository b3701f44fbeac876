import CalotypeTesting
import Foundation
import ImageCore
import ImageTargets
import Testing

/// The number of random programs of each kind; `CALOTYPE_PROGRAMS` sets it for a longer run.
let programCount = ProcessInfo.processInfo.environment["CALOTYPE_PROGRAMS"].flatMap(Int.init) ?? 2_000

/// The binding rules in random programs of requests.
@Suite(.timeLimit(.minutes(5))) struct BindingPrograms {
    @Test @MainActor func noViewShowsAnImageThatIsNotRequestedInRandomPrograms() async throws {
        let faults = EventLog<String>()
        try await checkImageViewAdapterPrograms(
            programCount, onRequest: { view, number in view.requested = number }, makeView: { CheckingView(faults) },
            appearance: { $0.appearance })
        #expect(faults.events.isEmpty)
    }

    @Test @MainActor func viewsThatAreActorsShowTheRequestedImagesInRandomPrograms() async throws {
        try await checkImageViewAdapterPrograms(programCount, makeView: { RecordingView() }, appearance: { await $0.appearance })
    }

    /// Every call suspends, so that the call of a newer request could overlap with it.
    @Test @MainActor func callsThatSuspendNeverOverlapInRandomPrograms() async throws {
        let overlaps = EventLog<String>()
        try await checkImageViewAdapterPrograms(
            programCount, makeView: { SuspendingView(RecordingView(), overlaps: overlaps) },
            appearance: { await $0.view.appearance })
        #expect(overlaps.events.isEmpty)
    }
}

/// A view that knows the requested image, and records a fault when another one is set, even for a moment.
@MainActor private final class CheckingView: MainActorImageView {
    var requested: Int?
    private(set) var appearance = ViewAppearance(color: [])
    private let faults: EventLog<String>

    init(_ faults: EventLog<String>) { self.faults = faults }

    func setImage(_ image: DecodedImage, transition: ImageTransition) {
        let pixel = TestImages.pixel(of: image, x: 0, y: 0)
        appearance.color = Array(pixel[0..<3])
        if requested.map(programRed(of:)) != pixel[0] {
            faults.append("A view got \(pixel) while \(String(describing: requested)) was requested.")
        }
    }

    func setPlaceholder(_ placeholder: Placeholder) { appearance.color = [] }
    func clear() { appearance.color = [] }
    func setFailure(_ error: ImageError) { if requested == nil { faults.append("A view got a failure without a request.") } }
}
