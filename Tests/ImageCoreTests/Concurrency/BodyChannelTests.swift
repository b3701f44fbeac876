import ImageCore
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BodyChannels {
    private final class Transfer: Sendable {
        let channel = BodyChannel()
        let drains = Lock(0)

        var isCancelled: Bool { channel.isCancelled }
        var isPaused: Bool { channel.isPaused }
        func cancel() -> Bool { channel.cancel() }
        func pauses(above allowed: Int) -> Bool { channel.pauses(above: allowed) }

        /// Returns the number of bytes that are not read yet.
        @discardableResult func publish(_ bytes: Data) -> Int? { channel.publish(hasHead: true, bytes: bytes)?.unread }

        func head() async throws -> Data? {
            try await channel.waitForHead {
            } onCancel: {
            }
        }
        func next() async throws -> Data? {
            try await channel.next {
                drains.withLock { $0 += 1 }
            } onCancel: {
            }
        }
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

    @Test func readersOfACancelledBodyGetACancellation() async {
        let transfer = Transfer()
        transfer.publish(Data([1]))
        #expect(transfer.cancel() && transfer.isCancelled)
        await #expect(throws: CancellationError.self) { try await transfer.next() }
        await #expect(throws: CancellationError.self) { try await transfer.head() }
        // The producer has nothing left to do.
        #expect(!transfer.cancel() && transfer.publish(Data([2])) == nil && !transfer.pauses(above: 0))
    }

    @Test func aPausedProducerIsCalledWhenEverythingIsRead() async throws {
        let transfer = Transfer()
        transfer.publish(Data([1, 2]))
        #expect(!transfer.pauses(above: 2) && !transfer.isPaused)
        #expect(transfer.publish(Data([3])) == 3)
        #expect(transfer.pauses(above: 2) && transfer.isPaused)
        #expect(try await transfer.next() == Data([1, 2]))
        #expect(transfer.drains.withLock { $0 } == 0)
        #expect(try await transfer.next() == Data([3]))
        #expect(transfer.drains.withLock { $0 } == 1 && !transfer.isPaused)
        transfer.channel.publish(end: .success(()))
        #expect(try await transfer.next() == nil)
        #expect(transfer.drains.withLock { $0 } == 1)
    }
}
