import CalotypeTesting
import ImageCore
import Testing

@testable import CalotypeCommand

/// `calotype show` plays animations frame by frame.
@Suite(.timeLimit(.minutes(1))) struct FramePlayers {
    private struct Frames: AnimationFrames {
        let loopCount: Int
        var durations: [Duration] { [.seconds(1), .seconds(2), .seconds(3)] }
        var byteCount: Int { 0 }
        func frame(at index: Int) async throws -> DecodedImage { try TestImages.solid(red: UInt8(index)) }
    }

    /// The time and the number of each frame that is shown.
    private func play(loopCount: Int, limit: Duration) async throws -> [[Int]] {
        let clock = ManualClock()
        let animation = AnimatedImage(Frames(loopCount: loopCount))
        let shown = EventLog<[Int]>()
        let playing = Task {
            try await FramePlayer(limit: limit).play(animation, clock: clock) { image in
                let seconds = Int(clock.now.offset / .seconds(1))
                shown.append([seconds, Int(TestImages.pixel(of: image, x: 0, y: 0)[0])])
            }
            shown.append([])
        }
        // One second after the other, as long as the player sleeps.
        var sleeps = 0
        while true {
            let (frames, asleep) = (shown.count, clock.requestedSleeps.count)
            if shown.events.last == [] { break }
            if asleep > sleeps {
                sleeps = asleep
                clock.advance(by: clock.requestedSleeps[asleep - 1])
                await shown.wait(forCount: frames + 1)
            }
            await Task.yield()
        }
        try await playing.value
        return shown.events.dropLast()
    }

    @Test func anAnimationPlaysAsOftenAsItsFileSays() async throws {
        #expect(try await play(loopCount: 1, limit: .seconds(100)) == [[1, 1], [3, 2]])
        #expect(try await play(loopCount: 2, limit: .seconds(100)) == [[1, 1], [3, 2], [6, 0], [7, 1], [9, 2]])
    }

    @Test func anEndlessAnimationEndsWhenTheTimeIsOver() async throws {
        #expect(try await play(loopCount: 0, limit: .seconds(8)) == [[1, 1], [3, 2], [6, 0], [7, 1]])
        #expect(try await play(loopCount: 0, limit: .zero) == [])
    }
}
