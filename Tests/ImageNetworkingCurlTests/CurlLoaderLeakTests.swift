#if os(Linux)
    import CalotypeSystem
    import CCalotypeHeapUsage
    import ImageCore
    import ImageNetworkingCurl
    import LoopbackHTTP
    import NetworkTestKit
    import Testing

    /// The resources of the process. The suite runs in a separate process, since other tests open sockets too.
    private struct Holdings {
        var descriptors: Int
        var threads: Int

        static var now: Holdings { Holdings(descriptors: count("/proc/self/fd"), threads: count("/proc/self/task")) }

        /// Swift Testing records each thrown error until the test ends, which would be most of the growth.
        static func forgetErrors() {
            for hook in ["_swift_willThrow", "_swift_willThrowTypedImpl"] {
                unsafe dlsym(nil, hook)?.storeBytes(of: nil, as: UnsafeRawPointer?.self)
            }
        }

        private static func count(_ path: String) -> Int {
            guard let directory = unsafe opendir(path) else { return 0 }
            defer { unsafe closedir(directory) }
            var count = 0
            while unsafe readdir(directory) != nil { count += 1 }
            return count
        }

        /// Bytes that are allocated and not freed.
        static var allocated: Int { Int(clt_heap_bytes()) }

        /// The kernel lists a thread for a moment after its last instruction, and reports no event for its end. Swift's
        /// pool keeps idle threads for some seconds.
        static func settled(to expected: Holdings) async -> Holdings {
            let limit = ContinuousClock.now + .seconds(30)
            while !now.isAtMost(expected), .now < limit { await Task.yield() }
            return now
        }

        /// The growth of the heap since `before`, in bytes. Threads of the server may hold a buffer for a moment after
        /// their connection is closed; what remains after a second is a leak. Under the thread sanitizer, which
        /// allocates memory itself, only races are checked.
        static func growth(since before: Int, beyond limit: Int) async -> Int {
            #if THREAD_SANITIZER
                return 0
            #else
                let end = ContinuousClock.now + .seconds(1)
                while allocated - before >= limit, .now < end { await Task.yield() }
                return allocated - before
            #endif
        }

        func isAtMost(_ other: Holdings) -> Bool { descriptors <= other.descriptors && threads <= other.threads }
    }

    private final class Begun: Sendable {
        let count = Lock(0)
    }

    @Suite(.timeLimit(.minutes(5))) struct CurlLoaderLeaks {
        @Test func aLoaderThatEndsLeavesNoDescriptorAndNoThread() async throws {
            await #expect(processExitsWith: .success) {
                let server = try LoopbackServer { request, connection in
                    if request.path == "/stall" { return connection.waitForDisconnect() }
                    try connection.respond(LoopbackServer.Response(200, body: [UInt8](repeating: 1, count: 50_000)))
                }
                func run(closing: Bool) async throws {
                    let loader = CurlLoader()
                    let (good, stalled) = (try server.request("/a"), try server.request("/stall"))
                    try await withThrowingTaskGroup { group in
                        for _ in 0..<100 { group.addTask { _ = try await loader.body(of: good) } }
                        try await group.waitForAll()
                    }
                    for _ in 0..<5 { _ = try await loader.load(good) }
                    let tasks = (0..<50).map { _ in Task { try await loader.load(stalled) } }
                    for task in tasks { task.cancel() }
                    for task in tasks { _ = try? await task.value }
                    if closing { await loader.close() }
                }
                // The first round includes what a process allocates once.
                try await run(closing: true)
                try await server.disconnections.wait(forCount: server.connections.value)
                let before = Holdings.now
                for round in 0..<10 { try await run(closing: round % 2 == 0) }
                let after = await Holdings.settled(to: before)
                #expect(after.isAtMost(before), "\(after), before \(before)")
                server.stop()
            }
        }

        @Test func manyCancelledLoadsLeakNothing() async throws {
            await #expect(processExitsWith: .success) {
                Holdings.forgetErrors()
                let server = try LoopbackServer { _, connection in connection.waitForDisconnect() }
                let request = try server.request()
                func storms(_ count: Int) async throws {
                    let loader = CurlLoader()
                    for _ in 0..<count {
                        let begun = Begun()
                        let tasks = (0..<1000).map { _ in
                            Task {
                                begun.count.withLock { $0 += 1 }
                                return try await loader.load(request)
                            }
                        }
                        // If they were cancelled at once, most of them would never reach the loader.
                        while begun.count.withLock({ $0 }) < 1000 { await Task.yield() }
                        for task in tasks { task.cancel() }
                        for task in tasks { _ = try? await task.value }
                    }
                    await loader.close()
                    try await server.disconnections.wait(forCount: server.connections.value)
                }
                try await storms(50)
                let (before, allocated) = (Holdings.now, Holdings.allocated)
                try await storms(200)
                let after = await Holdings.settled(to: before)
                #expect(after.isAtMost(before), "\(after), before \(before)")
                // The smallest allocation takes 32 bytes, which each of the 200,000 loads would leak if it leaked
                // anything. Threads and tables need less than half of that.
                let growth = await Holdings.growth(since: allocated, beyond: 200_000 * 32 / 2)
                #expect(growth < 200_000 * 32 / 2, "\(growth) bytes")
                server.stop()
            }
        }

        @Test func tenThousandLoadsOverSixtyFourConnectionsLeakNothing() async throws {
            await #expect(processExitsWith: .success) {
                let body = [UInt8](repeating: 7, count: 50_000)
                let server = try LoopbackServer(serving: { _ in LoopbackServer.Response(200, body: body) })
                let request = try server.request()
                func run(_ count: Int) async throws {
                    var limits = CurlLoader.Limits()
                    (limits.connectionsPerHost, limits.connections) = (64, 64)
                    let loader = CurlLoader(limits: limits)
                    try await withThrowingTaskGroup(of: Int.self) { group in
                        for _ in 0..<64 {
                            group.addTask {
                                var whole = 0
                                for _ in 0..<count / 64 where try await loader.body(of: request).count == 50_000 { whole += 1 }
                                return whole
                            }
                        }
                        let whole = try await group.reduce(0, +)
                        #expect(whole == count / 64 * 64)
                    }
                    await loader.close()
                    try await server.disconnections.wait(forCount: server.connections.value)
                }
                try await run(1_000)
                #expect(server.connections.value <= 64)
                let (before, allocated) = (Holdings.now, Holdings.allocated)
                try await run(10_000)
                let after = await Holdings.settled(to: before)
                #expect(after.isAtMost(before), "\(after), before \(before)")
                // As above, for 10,000 loads.
                let growth = await Holdings.growth(since: allocated, beyond: 10_000 * 32 / 2)
                #expect(growth < 10_000 * 32 / 2, "\(growth) bytes")
                server.stop()
            }
        }
    }
#endif
