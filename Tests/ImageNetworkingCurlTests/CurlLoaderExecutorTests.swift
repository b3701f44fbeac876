#if os(Linux)
    import CalotypeSystem
    import ImageCore
    import ImageNetworkingCurl
    import LoopbackHTTP
    import NetworkTestKit
    import Testing

    @Suite(.timeLimit(.minutes(1)))
    struct CurlLoaderExecutor {
        private let loader = CurlLoader(.withoutIdleTimeout)

        /// What the server and the tasks of a test tell each other.
        private final class Progress: Sendable {
            let answers = Lock(0)
            let isLoaded = Lock(false)
        }

        @Test func aTaskStaysOnTheThreadOfTheTransfersFromLoadToLoad() async throws {
            let server = try LoopbackServer.answering(body: "x")
            let request = try server.request()
            let loader = loader
            let threads = try await withTaskExecutorPreference(loader.executor) {
                var threads: Set<pthread_t> = [pthread_self()]
                for _ in 0..<20 {
                    _ = try await loader.body(of: request)
                    threads.insert(pthread_self())
                }
                return threads
            }
            #expect(threads.count == 1)
            #expect(!threads.contains(pthread_self()))
        }

        @Test func aTaskThatNeverRestsLeavesRoomForTransfers() async throws {
            let progress = Progress()
            let server = try LoopbackServer { _, connection in
                try connection.respond(LoopbackServer.Response(200, body: Array("x".utf8)))
                progress.answers.withLock { $0 += 1 }
            }
            let (loader, request) = (loader, try server.request())
            // Leaves a connection, so that the next answer is all that the loop has to look for.
            _ = try await loader.body(of: request)
            let most = 100_000
            let restless = Task(executorPreference: loader.executor) {
                var turns = 0
                while turns < most, !progress.isLoaded.withLock({ $0 }) {
                    await Task.yield()
                    if progress.answers.withLock({ $0 }) == 2 { turns += 1 }
                }
                return turns
            }
            let load = Task(executorPreference: loader.executor) {
                defer { progress.isLoaded.withLock { $0 = true } }
                return try await loader.load(request).body.text()
            }
            #expect(try await load.value == "x")
            // Once it is sent, the answer is seen within some turns; unseen, it lies there for seconds.
            #expect(await restless.value < most)
        }

        /// Run on the thread of the transfers, each of several loads has been asked for when whoever added them goes on.
        @Test func whatIsMoreImportantIsFetchedFirst() async throws {
            let gate = try LoopbackServer.Gate()
            let asked = Lock<[String]>([])
            let server = try LoopbackServer { request, connection in
                asked.withLock { $0.append(request.target) }
                if request.target == "/first" { try connection.wait(for: gate) }
                try connection.respond(LoopbackServer.Response(200))
            }
            var configuration = CurlLoader.Configuration.withoutIdleTimeout
            configuration.connectionsPerHost = 1
            let loader = CurlLoader(configuration)
            try await withTaskExecutorPreference(loader.executor) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    func add(_ path: String, _ priority: LoadPriority) throws {
                        var request = try server.request(path)
                        request.priority = priority
                        group.addTask { [request] in _ = try await loader.body(of: request) }
                    }
                    try add("/first", .normal)
                    try await server.requests.reached(1)
                    for priority in LoadPriority.allCases { try add("/\(priority.rawValue)", priority) }
                    await Task.yield()
                    gate.open()
                    try await group.waitForAll()
                }
            }
            let byPriority = LoadPriority.allCases.map(\.rawValue).sorted(by: >).map { "/\($0)" }
            #expect(asked.withLock { $0 } == ["/first"] + byPriority)
        }

        @Test func aTaskRunsThoughTheLoaderIsClosed() async throws {
            await loader.close()
            #expect(await Task(executorPreference: loader.executor) { 7 }.value == 7)
        }

        @Test func aTaskGoesOnElsewhereWhenTheLoaderCloses() async throws {
            let begun = try LoopbackServer.Gate()
            let isClosed = Lock(false)
            let task = Task(executorPreference: loader.executor) {
                begun.open()
                while !isClosed.withLock({ $0 }) { await Task.yield() }
                return 7
            }
            try await begun.opened()
            await loader.close()
            isClosed.withLock { $0 = true }
            #expect(await task.value == 7)
        }
    }
#endif
