#if os(Linux)
    import HTTPTypes
    import ImageCore
    import ImageNetworkingCurl
    import LoopbackHTTP
    import NetworkTestKit
    import Testing

    /// A running lookup cannot be cancelled; the loads that wait for it must not notice that.
    @Suite(.enabled(if: HeldLookup.isPossible), .timeLimit(.minutes(1)))
    struct CurlLoaderLookups {
        private let loader: CurlLoader = {
            var configuration = CurlLoader.Configuration()
            // A proxy would look up the name itself.
            configuration.usesProxyOfEnvironment = false
            configuration.connectTimeout = .seconds(300)
            return CurlLoader(configuration)
        }()

        /// A request that signals when it is released.
        private func request(
            _ lookup: HeldLookup, _ server: LoopbackServer, freed: LoopbackServer.Gate
        ) throws -> DataRequest {
            let url = try #require(URL(string: "http://\(lookup.name):\(server.port)/"))
            let count = 1000
            let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 1)
            unsafe memory.initializeMemory(as: UInt8.self, repeating: 7, count: count)
            let body = unsafe Data(
                bytesNoCopy: memory, count: count,
                deallocator: .custom { memory, _ in
                    unsafe memory.deallocate()
                    freed.open()
                })
            return DataRequest(url: url, method: .put, body: body, timeout: .seconds(300))
        }

        /// A load that waits for the lookup, and a gate that opens when it ends. A load that never ends fails its test
        /// and does not block it.
        private func load(
            _ lookup: HeldLookup, _ server: LoopbackServer, freed: LoopbackServer.Gate
        ) async throws -> (task: Task<Int, any Error>, end: LoopbackServer.Gate) {
            let (loader, request, end) = (loader, try request(lookup, server, freed: freed), try LoopbackServer.Gate())
            let task = Task {
                defer { end.open() }
                return try await loader.load(request).head.status.code
            }
            try await lookup.begun.waitUntilOpen()
            return (task, end)
        }

        private func close() async throws {
            let (loader, end) = (loader, try LoopbackServer.Gate())
            Task {
                await loader.close()
                end.open()
            }
            try await end.waitUntilOpen()
        }

        @Test func aLoadContinuesWhenItsLookupEnds() async throws {
            let (lookup, freed) = (try HeldLookup(of: "patient.test"), try LoopbackServer.Gate())
            let server = try LoopbackServer.answering(body: "x")
            let (task, end) = try await load(lookup, server, freed: freed)
            #expect(server.connections.value == 0)
            lookup.answer()
            try await end.waitUntilOpen()
            #expect(try await task.value == 200)
            try await freed.waitUntilOpen()
        }

        @Test func cancellingDuringTheLookupIsPromptAndOpensNoSocketLater() async throws {
            let (lookup, freed) = (try HeldLookup(of: "cancelled.test"), try LoopbackServer.Gate())
            let server = try LoopbackServer.answering(body: "x")
            let (task, end) = try await load(lookup, server, freed: freed)
            task.cancel()
            // The lookup still runs.
            try await end.waitUntilOpen()
            await #expect(throws: CancellationError.self) { try await task.value }
            // Other loads do not wait for it. When they have a response, the loader has handled the cancellation, too.
            #expect(try await loader.body(of: try server.request()).count == 1)
            #expect(!freed.isOpen)
            lookup.answer()
            // When the lookup ends, everything is released.
            try await freed.waitUntilOpen()
            // A connection made in the meantime would be counted before that of another loader.
            #expect(try await CurlLoader().body(of: try server.request()).count == 1)
            #expect(server.connections.value == 2)
            try await close()
        }

        @Test(arguments: [true, false])
        func closingDoesNotWaitForTheLookup(_ isCancelledBefore: Bool) async throws {
            let lookup = try HeldLookup(of: isCancelledBefore ? "orphaned.test" : "closed.test")
            let (server, freed) = (try LoopbackServer.answering(body: "x"), try LoopbackServer.Gate())
            let (task, end) = try await load(lookup, server, freed: freed)
            if isCancelledBefore { task.cancel() }
            try await close()
            try await end.waitUntilOpen()
            if isCancelledBefore {
                await #expect(throws: CancellationError.self) { try await task.value }
            } else {
                #expect(try await imageError { _ = try await task.value }.code == .loaderClosed)
            }
            try await freed.waitUntilOpen()
            #expect(server.connections.value == 0)
            lookup.answer()
        }
    }
#endif
