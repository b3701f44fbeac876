#if os(Linux)
    import CCalotypeCurl
    import CalotypeSystem
    import Testing

    @testable import ImageNetworkingCurl

    @Suite struct ReadinessOfSockets {
        /// A socket pair. The first socket has the given number, or one so high that no other thread gets it between its uses
        /// here.
        private func pair(_ number: Int32? = nil) throws -> [Int32] {
            var ends: [Int32] = [-1, -1]
            try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            let moved = number.map { dup2(ends[0], $0) } ?? fcntl(ends[0], F_DUPFD, 200)
            try #require(moved >= 0)
            _ = close(ends[0])
            return [moved, ends[1]]
        }

        /// libcurl opens sockets itself for name lookups, and does not report when it closes a given one.
        @Test func aSocketOfALookupThatReusesANumberIsWatched() throws {
            let multi = try #require(MultiHandle())
            defer { _ = unsafe curl_multi_cleanup(multi.pointer) }
            let readiness = try #require(Readiness(multi))
            let first = try pair()
            readiness.opened(first[0])
            readiness.watch(first[0], CURL_POLL_IN)
            readiness.watch(first[0], CURL_POLL_REMOVE)
            for end in first { _ = close(end) }
            readiness.lookupBegins()
            let second = try pair(first[0])
            readiness.watch(second[0], CURL_POLL_IN)
            try #require(unsafe send(second[1], "x", 1, 0) == 1)
            #expect(readiness.wait(atMost: .milliseconds(1)))
            for end in second { _ = close(end) }
        }
    }
#endif
