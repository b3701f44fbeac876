import ImageCore
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BodyChannels {
    private final class Line: Sendable {
        let channel = BodyChannel()
    }

    /// A time limit may be over before the reader comes to wait.
    @Test func anEndBeforeTheWaitForTheHeadIsHeardOf() async {
        let line = Line()
        let begun = Lock(false)
        line.channel.publish(end: .failure(ImageError(.timedOut, message: "Too late.")))
        await #expect(throws: ImageError.self) {
            _ = try await line.channel.waitForHead {
                begun.withLock { $0 = true }
            } onCancel: {
                _ = line.channel.cancel()
            }
        }
        #expect(!begun.withLock { $0 })
    }
}
