import CalotypeTesting
import Testing

@testable import ImageCore

/// Frames whose red value is their number, and a record of what was made.
private final class ScriptedFrames: AnimationFrames {
    let durations: [Duration]
    let loopCount: Int
    let byteCount = 1_000
    let log = EventLog<String>()
    private let damaged: Int?

    init(
        _ durations: [Duration] = [.milliseconds(100), .milliseconds(200), .milliseconds(300)], loops: Int = 0,
        damaged: Int? = nil
    ) {
        (self.durations, loopCount, self.damaged) = (durations, loops, damaged)
    }

    func frame(at index: Int) async throws -> DecodedImage {
        log.append("frame \(index)")
        if index == damaged { throw ImageError(.corrupt, message: "The frame is damaged.") }
        return try TestImages.solid(red: UInt8(index))
    }

    func playbackBegan() { log.append("began") }
    func playbackEnded() { log.append("ended") }
}

@Suite(.timeLimit(.minutes(1))) struct AnimatedImages {
    private let clock = ManualClock()

    private func red(_ image: DecodedImage) -> UInt8 { TestImages.pixel(of: image, x: 0, y: 0)[0] }

    /// Lets the frame appear for which the animation now waits, which is the `count`-th.
    private func advance(_ count: Int, by duration: Duration) async {
        await clock.waitForSleeps(count)
        clock.advance(by: duration)
    }

    @Test func theTimelineRepeatsAsOftenAsTheFileSays() {
        var timeline: AnimationTimeline? = AnimationTimeline(frameCount: 2, loopCount: 2)
        var frames: [Int] = []
        while let now = timeline {
            frames.append(now.frame)
            timeline = now.next
        }
        #expect(frames == [0, 1, 0, 1])
        var endless = AnimationTimeline(frameCount: 2, loopCount: 0)
        for _ in 0..<1_001 { endless = endless.next ?? endless }
        #expect(endless.frame == 1 && endless.finishedLoops == 500)
        #expect(AnimationTimeline(frameCount: 1, loopCount: 0).next == nil)
    }

    @Test func eachFrameAppearsWhenTheFrameBeforeHasBeenShownLongEnough() async {
        let shown = EventLog<UInt8>()
        let player = AnimatedImage(ScriptedFrames(), clock: clock).play { shown.append(red($0)) }
        await advance(1, by: .milliseconds(99))
        #expect(shown.events.isEmpty)
        clock.advance(by: .milliseconds(1))
        await shown.wait(forCount: 1)
        await advance(2, by: .milliseconds(200))
        await shown.wait(forCount: 2)
        await advance(3, by: .milliseconds(300))
        await shown.wait(forCount: 3)
        #expect(shown.events == [1, 2, 0])
        #expect(clock.requestedSleeps.prefix(3) == [.milliseconds(100), .milliseconds(200), .milliseconds(300)])
        player.stop()
    }

    @Test func tenViewsShowTheSameFrameThatIsMadeOnce() async {
        let frames = ScriptedFrames()
        let animation = AnimatedImage(frames, clock: clock)
        let shown = EventLog<UInt8>()
        let players = (0..<10).map { _ in animation.play { shown.append(red($0)) } }
        await advance(1, by: .milliseconds(100))
        await shown.wait(forCount: 10)
        await clock.waitForSleeps(2)
        #expect(shown.events == Array(repeating: 1, count: 10))
        #expect(frames.log.events == ["began", "frame 1", "frame 2"])
        // A view that comes later shows what the others show.
        let late = animation.play { shown.append(red($0)) }
        #expect(shown.events.last == 1 && shown.count == 11)
        for player in players + [late] { player.stop() }
    }

    @Test func nothingIsMadeWhileAllViewsArePaused() async {
        let frames = ScriptedFrames()
        let shown = EventLog<UInt8>()
        let animation = AnimatedImage(frames, clock: clock)
        let player = animation.play { shown.append(red($0)) }
        let other = animation.play { _ in }
        await advance(1, by: .milliseconds(100))
        await shown.wait(forCount: 1)
        await clock.waitForSleeps(2)
        player.setPaused(true)
        #expect(animation.playingViews == 1)
        other.setPaused(true)
        await frames.log.wait(forCount: 4)
        #expect(frames.log.events == ["began", "frame 1", "frame 2", "ended"])
        clock.advance(by: .seconds(10))
        #expect(shown.events == [1])
        // It continues with the frame after the one that the view shows.
        player.setPaused(false)
        await advance(3, by: .milliseconds(200))
        await shown.wait { $0.last == 2 }
        #expect(frames.log.events[4...].prefix(2) == ["began", "frame 2"])
        player.stop()
    }

    @Test func aReleasedPlayerStopsAndTheNextViewBeginsWithTheFirstFrame() async {
        let frames = ScriptedFrames()
        let shown = EventLog<UInt8>()
        let animation = AnimatedImage(frames, clock: clock)
        do {
            let player = animation.play { shown.append(red($0)) }
            await advance(1, by: .milliseconds(100))
            await shown.wait(forCount: 1)
            withExtendedLifetime(player) {}
        }
        #expect(animation.playingViews == 0)
        await frames.log.wait { $0.last == "ended" }
        let player = animation.play { shown.append(red($0)) }
        #expect(shown.events == [1])
        await frames.log.wait { $0.suffix(2) == ["began", "frame 1"] }
        player.stop()
    }

    @Test func theLastFrameStaysAfterTheLastLoop() async {
        let frames = ScriptedFrames([.milliseconds(10), .milliseconds(10)], loops: 1)
        let shown = EventLog<UInt8>()
        let animation = AnimatedImage(frames, clock: clock)
        let player = animation.play { shown.append(red($0)) }
        await advance(1, by: .milliseconds(10))
        await shown.wait(forCount: 1)
        clock.advance(by: .seconds(10))
        let late = animation.play { shown.append(red($0)) }
        await frames.log.wait(forCount: 3)
        #expect(shown.events == [1, 1] && frames.log.events == ["began", "frame 1", "ended"])
        withExtendedLifetime((player, late)) {}
    }

    @Test func aDamagedFrameEndsThePlayback() async {
        let frames = ScriptedFrames(damaged: 2)
        let shown = EventLog<UInt8>()
        let player = AnimatedImage(frames, clock: clock).play { shown.append(red($0)) }
        await advance(1, by: .milliseconds(100))
        await frames.log.wait { $0.last == "frame 2" }
        clock.advance(by: .seconds(10))
        #expect(shown.events == [1] && clock.requestedSleeps.count == 1)
        withExtendedLifetime(player) {}
    }

    /// After a long pause of the machine, frames do not hurry to catch up.
    @Test func aLateFrameDelaysTheFollowingOnes() async {
        let shown = EventLog<UInt8>()
        let player = AnimatedImage(ScriptedFrames(), clock: clock).play { shown.append(red($0)) }
        await advance(1, by: .seconds(60))
        await shown.wait(forCount: 1)
        await shown.wait(forCount: 2)
        await clock.waitForSleeps(3)
        #expect(clock.requestedSleeps == [.milliseconds(100), .zero, .milliseconds(300)])
        player.stop()
    }

    @Test func theMemoryCacheCountsTheFileOfAnAnimation() throws {
        var image = try TestImages.solid()
        let still = image.cost
        image.animation = AnimatedImage(ScriptedFrames())
        #expect(image.cost == still + 1_000)
        #expect("\(image)".contains("3 frames"))
    }
}

extension AnimatedImage {
    /// The number of views that play the animation now.
    fileprivate var playingViews: Int { playback.withLock { $0.listeners.values.count { !$0.isPaused } } }
}
