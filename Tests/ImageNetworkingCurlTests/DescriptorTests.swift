#if os(Linux)
    import CalotypeSystem
    import ImageCore
    import ImageNetworkingCurl
    import LoopbackHTTP
    import NetworkTestKit
    import Testing

    /// Each test runs in a separate process, since it changes the limit of the process.
    @Suite(.timeLimit(.minutes(1))) struct Descriptors {
        /// Sets the limit of descriptors; returns the old one.
        @discardableResult
        private static func allow(_ count: rlim_t) -> rlim_t {
            var limit = rlimit()
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            defer {
                limit.rlim_cur = count
                unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            }
            return limit.rlim_cur
        }

        @Test func withoutDescriptorsALoadFailsAndTheNextOneRetries() async {
            await #expect(processExitsWith: .success) {
                let loader = CurlLoader()
                let url = try #require(URL(string: "http://127.0.0.1:1/"))
                let before = Self.allow(0)
                let error = try await imageError { _ = try await loader.load(DataRequest(url: url)) }
                Self.allow(before)
                #expect(error.code == .connectionFailed)
                let server = try LoopbackServer.answering(body: "x")
                #expect(try await loader.load(try server.request()).body.text() == "x")
                await loader.close()
            }
        }
    }
#endif
