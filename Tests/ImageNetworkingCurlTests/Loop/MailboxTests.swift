import ImageCore
import Testing

@testable import ImageNetworkingCurl

@Suite(.timeLimit(.minutes(1))) struct Mailboxes {
    private final class Flag: Sendable {
        private let state = Lock(false)

        var isSet: Bool { state.withLock { $0 } }

        func set() { state.withLock { $0 = true } }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func closingEndsIfNoThreadCanBeStarted() async throws {
        let end = Flag()
        let mailbox = Mailbox { mailbox in
            // This runs synchronously until it waits, before the missing thread is reported.
            Task.immediate {
                await mailbox.closeAndWait()
                end.set()
            }
            return false
        }
        let request = DataRequest(url: try #require(URL(string: "http://a/")))
        let fetch = Fetch(request.url, timeout: .zero, hop: try .first(of: request), limit: 1)
        #expect(mailbox.post(.start, fetch) == nil)
        // The wait has a limit, since it cannot be cancelled.
        for _ in 0..<100_000 where !end.isSet { await Task.yield() }
        #expect(end.isSet)
        #expect(mailbox.post(.start, fetch)?.code == .loaderClosed)
    }

    @Test func aFetchFailsIfTheLoaderIsClosedWhileNoThreadCanBeStarted() async throws {
        let mailbox = Mailbox { mailbox in
            mailbox.close()
            return false
        }
        let request = DataRequest(url: try #require(URL(string: "http://a/")))
        let fetch = Fetch(request.url, timeout: .zero, hop: try .first(of: request), limit: 1)
        let error = await #expect(throws: ImageError.self) { _ = try await fetch.start(by: mailbox) }
        #expect(error?.code == .connectionFailed)
    }
}
