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

    @Test func aPositionCountsItsLoops() {
        var position = AnimationPosition(frameCount: 2)
        #expect(position.frame == 0 && !position.isLastFrame && position.nextFrame == 1)
        position.advance()
        #expect(position.frame == 1 && position.isLastFrame && position.nextFrame == 0 && !position.isLoopOver)
        position.finishLoop()
        #expect(position.frame == 1 && position.finishedLoops == 1 && position.isLoopOver)
        position.advance()
        #expect(position.frame == 0 && position.finishedLoops == 1 && !position.isLoopOver)
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
        await advance(2, by: .milliseconds(10))
        await frames.log.wait(forCount: 3)
        let late = animation.play { shown.append(red($0)) }
        clock.advance(by: .seconds(10))
        #expect(late.state.isOver && late.state.frame == 1 && late.state.finishedLoops == 1)
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
        await frames.log.wait { $0.last == "ended" }
        #expect(!player.state.isPlaying && !player.state.isOver && player.state.frame == 1)
    }

    private func state(frame: Int, loops: Int, isOver: Bool) -> AnimationPlaybackState {
        var state = AnimationPlaybackState()
        (state.frame, state.finishedLoops, state.isPlaying, state.isOver) = (frame, loops, !isOver, isOver)
        return state
    }

    @Test func aViewShowsTheAnimationAsOftenAsItAsks() async {
        let frames = ScriptedFrames([.milliseconds(10), .milliseconds(10)], loops: 1)
        let (shown, loops) = (EventLog<UInt8>(), EventLog<AnimationPlaybackState>())
        let player = AnimatedImage(frames, clock: clock).play(plays: 2, onLoop: { loops.append($0) }) { shown.append(red($0)) }
        for sleep in 1...4 { await advance(sleep, by: .milliseconds(10)) }
        await frames.log.wait { $0.last == "ended" }
        #expect(loops.events == [state(frame: 1, loops: 1, isOver: false), state(frame: 1, loops: 2, isOver: true)])
        #expect(shown.events == [1, 0, 1])
        // The first frame is not made after the last loop.
        #expect(frames.log.events == ["began", "frame 1", "frame 0", "frame 1", "ended"])
        #expect(player.state == state(frame: 1, loops: 2, isOver: true))
        // Once more, from the first frame at once.
        player.playAgain()
        await shown.wait { $0.last == 0 }
        #expect(clock.requestedSleeps.count <= 5)
        #expect(player.state == state(frame: 0, loops: 0, isOver: false))
        player.stop()
        #expect(player.state == AnimationPlaybackState())
    }

    @Test func eachViewHasItsOwnCount() async {
        let frames = ScriptedFrames([.milliseconds(10), .milliseconds(10)], loops: 1)
        let (first, second) = (EventLog<UInt8>(), EventLog<UInt8>())
        let animation = AnimatedImage(frames, clock: clock)
        let once = animation.play { first.append(red($0)) }
        let endless = animation.play(plays: 0) { second.append(red($0)) }
        for sleep in 1...4 { await advance(sleep, by: .milliseconds(10)) }
        await clock.waitForSleeps(5)
        #expect(first.events == [1] && second.events == [1, 0, 1, 0])
        #expect(once.state == state(frame: 1, loops: 1, isOver: true) && endless.state.finishedLoops == 2)
        // A view that comes while others play is shown its loops, although the file's are over.
        let late = animation.play { _ in }
        #expect(late.state == state(frame: 0, loops: 0, isOver: false))
        endless.setPlays(2)
        #expect(endless.state.isOver)
        endless.setPlays(3)
        #expect(endless.state.isPlaying)
        late.stop()
        for sleep in 5...6 { await advance(sleep, by: .milliseconds(10)) }
        await frames.log.wait { $0.last == "ended" }
        // The view that plays again is shown where it continues.
        #expect(second.events == [1, 0, 1, 0, 0, 1])
    }

    @Test func aPausedViewKeepsItsFrameAndItsCount() async {
        let animation = AnimatedImage(ScriptedFrames([.milliseconds(10), .milliseconds(10)], loops: 2), clock: clock)
        let shown = EventLog<UInt8>()
        let player = animation.play { shown.append(red($0)) }
        let other = animation.play(plays: 0) { _ in }
        await advance(1, by: .milliseconds(10))
        await clock.waitForSleeps(2)
        player.setPaused(true)
        for sleep in 2...6 { await advance(sleep, by: .milliseconds(10)) }
        await clock.waitForSleeps(7)
        #expect(shown.events == [1] && other.state.finishedLoops == 3)
        var paused = state(frame: 1, loops: 0, isOver: false)
        paused.isPlaying = false
        #expect(player.state == paused)
        player.setPaused(false)
        #expect(shown.events == [1, 0] && player.state == state(frame: 0, loops: 0, isOver: false))
        withExtendedLifetime(other) {}
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
    fileprivate var playingViews: Int { playback.withLock { $0.listeners.values.count(where: \.isActive) } }
}
