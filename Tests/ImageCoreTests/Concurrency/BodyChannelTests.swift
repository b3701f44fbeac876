import ImageCore
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BodyChannels {
    private final class Transfer: Sendable {
        let channel = BodyChannel()
    }

    /// The timeout may end a transfer before its reader waits.
    @Test func waitingForTheHeadOfAnEndedTransferThrowsItsError() async {
        let transfer = Transfer()
        let begun = Lock(false)
        transfer.channel.publish(end: .failure(ImageError(.timedOut, message: "Too late.")))
        await #expect(throws: ImageError.self) {
            _ = try await transfer.channel.waitForHead {
                begun.withLock { $0 = true }
            } onCancel: {
                _ = transfer.channel.cancel()
            }
        }
        #expect(!begun.withLock { $0 })
    }
}
