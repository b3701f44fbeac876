import Testing

@testable import ImageLoading

@Suite struct PacingOfPreviews {
    private typealias Step = PreviewPacing.Step
    private static let show = Step(decodes: true, shows: true)

    @Test func theFirstBytesAreShownAtOnce() {
        var pacing = PreviewPacing(interval: .seconds(1))
        #expect(pacing.arrived(at: .seconds(7)) == Self.show)
    }

    @Test func dataThatArrivesDuringAStepWaitsForTheNextStep() {
        var pacing = PreviewPacing(interval: .zero)
        #expect(pacing.arrived(at: .zero) == Self.show)
        for _ in 0..<5 { #expect(pacing.arrived(at: .zero) == Step()) }
        #expect(pacing.ended(hasShown: true, shows: true, at: .zero) == Self.show)
        #expect(pacing.ended(hasShown: true, shows: true, at: .zero) == Step())
    }

    @Test func withinTheIntervalBytesAreDecodedAndNotShown() {
        var pacing = PreviewPacing(interval: .seconds(1))
        _ = pacing.arrived(at: .zero)
        _ = pacing.ended(hasShown: true, shows: true, at: .zero)
        #expect(pacing.arrived(at: .milliseconds(400)) == Step(decodes: true, wait: .milliseconds(600)))
        #expect(pacing.ended(hasShown: false, shows: false, at: .milliseconds(410)) == Step())
        #expect(pacing.arrived(at: .milliseconds(500)) == Step(decodes: true))
        #expect(pacing.ended(hasShown: false, shows: false, at: .milliseconds(510)) == Step())
        #expect(pacing.elapsed(at: .seconds(1)) == Self.show)
    }

    @Test func aStepThatHadNothingToShowDoesNotUseTheIntervalUp() {
        var pacing = PreviewPacing(interval: .seconds(1))
        _ = pacing.arrived(at: .zero)
        #expect(pacing.ended(hasShown: false, shows: true, at: .zero) == Step())
        #expect(pacing.arrived(at: .milliseconds(1)) == Self.show)
    }
}
