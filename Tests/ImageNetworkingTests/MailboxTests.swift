import ImageCore
import Testing

@testable import ImageNetworking

@Suite struct Mailboxes {
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test(.timeLimit(.minutes(1))) func closingEndsWhereTheSystemGivesNoThread() async throws {
        let closing = Lock<Task<Void, Never>?>(nil)
        let mailbox = Mailbox { mailbox in
            let task = Task.immediate { await mailbox.closed() }
            closing.withLock { $0 = task }
            return false
        }
        let request = DataRequest(url: try #require(URL(string: "http://a/")))
        let transfer = Transfer(request.url, timeout: .zero, priority: .normal, hop: try .first(of: request), limit: 1)
        #expect(mailbox.post(.start, transfer) == nil)
        await closing.withLock { $0 }?.value
        #expect(mailbox.post(.start, transfer)?.code == .loaderClosed)
    }
}
