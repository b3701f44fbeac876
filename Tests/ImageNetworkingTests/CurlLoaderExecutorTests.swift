#if os(Linux)
    import Glibc
    import ImageCore
    import ImageNetworking
    import LoopbackHTTP
    import Testing

    @Suite(.timeLimit(.minutes(1)))
    struct CurlLoaderExecutor {
        private let loader = CurlLoader(.patient)

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
            let server = try LoopbackServer.answering(body: "x")
            let request = try server.request()
            let isLoaded = Lock(false)
            let restless = Task(executorPreference: loader.executor) {
                while !isLoaded.withLock({ $0 }) { await Task.yield() }
            }
            let began = ContinuousClock.now
            #expect(try await loader.load(request).body.text() == "x")
            // Some milliseconds; unseen, the answer lies there until a timer of libcurl's is due, after ten seconds.
            #expect(ContinuousClock.now - began < .seconds(5))
            isLoaded.withLock { $0 = true }
            await restless.value
        }

        @Test func aTaskRunsThoughTheLoaderIsClosed() async throws {
            await loader.close()
            #expect(await Task(executorPreference: loader.executor) { 7 }.value == 7)
        }

        @Test func aTaskGoesOnElsewhereWhenTheLoaderCloses() async throws {
            let begun = try Gate()
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
