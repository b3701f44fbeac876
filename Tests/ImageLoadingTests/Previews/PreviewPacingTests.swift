import Testing

@testable import ImageLoading

@Suite struct PacingOfPreviews {
    @Test func theFirstBytesAreShownAtOnce() {
        var pacing = PreviewPacing(interval: .seconds(1))
        #expect(pacing.arrived(at: .seconds(7)) == .show)
    }

    @Test func bytesThatArriveDuringAPreviewWaitForTheNextOne() {
        var pacing = PreviewPacing(interval: .zero)
        #expect(pacing.arrived(at: .zero) == .show)
        for _ in 0..<5 { #expect(pacing.arrived(at: .zero) == .nothing) }
        #expect(pacing.ended(hasShown: true, at: .zero) == .show)
        #expect(pacing.ended(hasShown: true, at: .zero) == .nothing)
    }

    @Test func withinTheIntervalBytesAreNotShown() {
        var pacing = PreviewPacing(interval: .seconds(1))
        _ = pacing.arrived(at: .zero)
        _ = pacing.ended(hasShown: true, at: .zero)
        #expect(pacing.arrived(at: .milliseconds(400)) == .wait(.milliseconds(600)))
        #expect(pacing.arrived(at: .milliseconds(500)) == .nothing)
        #expect(pacing.elapsed(at: .seconds(1)) == .show)
    }

    @Test func bytesThatArriveDuringALongPreviewAreShownAfterTheInterval() {
        var pacing = PreviewPacing(interval: .seconds(1))
        _ = pacing.arrived(at: .zero)
        #expect(pacing.arrived(at: .milliseconds(100)) == .nothing)
        #expect(pacing.ended(hasShown: true, at: .milliseconds(300)) == .wait(.milliseconds(700)))
    }

    @Test func aPreviewThatHadNothingToShowDoesNotUseTheIntervalUp() {
        var pacing = PreviewPacing(interval: .seconds(1))
        _ = pacing.arrived(at: .zero)
        #expect(pacing.ended(hasShown: false, at: .zero) == .nothing)
        #expect(pacing.arrived(at: .milliseconds(1)) == .show)
    }
}
