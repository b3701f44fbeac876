import ImageCore
import Testing

@testable import ImageNetworkingCurl

@Suite struct Mailboxes {
    private final class Flag: Sendable {
        private let state = Lock(false)

        var isSet: Bool { state.withLock { $0 } }

        func set() { state.withLock { $0 = true } }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func closingEndsWhereTheSystemGivesNoThread() async throws {
        let end = Flag()
        let mailbox = Mailbox { mailbox in
            // Up to where it waits this runs here and now, before there is no thread.
            Task.immediate {
                await mailbox.closeAndWait()
                end.set()
            }
            return false
        }
        let request = DataRequest(url: try #require(URL(string: "http://a/")))
        let fetch = Fetch(request.url, timeout: .zero, hop: try .first(of: request), limit: 1)
        #expect(mailbox.post(.start, fetch) == nil)
        // Bounded, since one that waits in vain cannot be cancelled.
        for _ in 0..<100_000 where !end.isSet { await Task.yield() }
        #expect(end.isSet)
        #expect(mailbox.post(.start, fetch)?.code == .loaderClosed)
    }
}
