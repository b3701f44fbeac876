import CalotypeTesting
import Foundation
import ImageCore
import Testing

@testable import ImageLoading

/// A load interceptor that is a closure.
private struct Around: LoadInterceptor {
    let body: @Sendable (ImageRequest, PixelSize?, @escaping Next) async throws -> ImageResponse

    func intercept(_ request: ImageRequest, size: PixelSize?, next: @escaping Next) async throws -> ImageResponse {
        try await body(request, size, next)
    }
}

private struct Stopped: Error {}

/// Interceptors around whole loads (FEATURES 1.16).
@Suite(.timeLimit(.minutes(1))) struct LoadInterceptors {
    private func request(_ name: String, _ interceptors: any LoadInterceptor...) -> ImageRequest {
        var request = ImageRequest(url: url(name), size: PixelSize(10))
        request.options.loadInterceptors = interceptors
        return request
    }

    @Test func interceptorsRunFromTheOutsideAroundEveryLoadMemoryHitsIncluded() async throws {
        let calls = EventLog<String>()
        @Sendable func named(_ name: String) -> Around {
            Around { request, size, next in
                calls.append("\(name) \(size?.width ?? 0)")
                defer { calls.append("after \(name)") }
                return try await next(request)
            }
        }
        let bench = Bench { $0.options.loadInterceptors = [named("a"), named("b")] }
        let once = ["a 10", "b 10", "after b", "after a"]
        let plain = ImageRequest(url: url("x"), size: PixelSize(10))
        #expect(try await bench.loader.response(for: plain).tier == .network)
        #expect(calls.events == once)
        #expect(try await bench.loader.response(for: plain).tier == .memory)
        #expect(calls.events == once + once)
        var inner = plain
        inner.options.modify(\.loadInterceptors) { $0.append(named("c")) }
        _ = try await bench.loader.image(for: inner)
        #expect(calls.events.suffix(6) == ["a 10", "b 10", "c 10", "after c", "after b", "after a"])
        calls.removeAll()
        for _ in 0..<2 { _ = try await bench.loader.image(for: url("x")) }
        #expect(calls.events == ["a 0", "b 0", "after b", "after a", "a 0", "b 0", "after b", "after a"])
        // Without a size, or with one that an interceptor sets.
        calls.removeAll()
        var small = ImageRequest(url: url("x"))
        small.options.loadInterceptors = [
            named("d"),
            Around { request, _, next in
                var small = request
                small.options.targetSize = PixelSize(5)
                return try await next(small)
            },
            named("e"),
        ]
        _ = try await bench.loader.image(for: small)
        #expect(calls.events == ["d 0", "e 5", "after e", "after d"])
    }

    @Test func whatNextLoadsIsCachedAndSharedUnderItsOwnKey() async throws {
        let bench = Bench.held()
        let elsewhere = Around { request, _, next in try await next(request.with(source: .url(url("elsewhere")))) }
        let requests =
            ["a", "b", "c"].map { request($0, elsewhere) } + [ImageRequest(url: url("elsewhere"), size: PixelSize(10))]
        let tasks = requests.map { bench.loader.task(for: $0) }
        while bench.loader.activity.loads < 4 { await Task.yield() }
        bench.network.gate.open()
        for task in tasks { _ = try await task.image }
        #expect(bench.network.requests.map(\.url) == [url("elsewhere")])
        #expect(Set(bench.memory.keys.map(\.resource)) == [ImageRequest(url: url("elsewhere")).resource])
        #expect(bench.loader.cachedImage(for: ImageRequest(url: url("elsewhere"), size: PixelSize(10))) != nil)
    }

    @Test func anInterceptorMayAnswerByItself() async throws {
        let image = try TestImages.solid(red: 200)
        let bench = Bench()
        let answer = Around { _, _, _ in ImageResponse(image: image, tier: .local) }
        let response = try await bench.loader.response(for: request("x", answer))
        #expect(red(response.image) == 200 && response.tier == .local)
        #expect(bench.network.requests.isEmpty && bench.memory.keys.isEmpty)
    }

    @Test func anInterceptorMayLoadAgainAfterAFailure() async throws {
        let bench = Bench(
            network: ScriptedLoader { request in
                guard request.url == url("good") else { throw ImageError(.connectionFailed, message: "No connection.") }
                return .body(Data([7]))
            })
        let again = Around { request, _, next in
            do { return try await next(request) } catch { return try await next(request.with(source: .url(url("good")))) }
        }
        var failing = request("bad", again)
        failing.fallbacks = [.url(url("bad, too"))]
        #expect(try await red(bench.loader.image(for: failing)) == 7)
        #expect(bench.network.requests.map(\.url.lastPathComponent) == ["bad", "bad, too", "good"])
    }

    @Test func theFirstOfTwoAtOnceMayWin() async throws {
        let bench = Bench.held()
        let race = Around { request, _, next in
            try await withThrowingTaskGroup(of: ImageResponse.self) { group in
                for name in ["a", "b"] { group.addTask { try await next(request.with(source: .url(url(name)))) } }
                defer { group.cancelAll() }
                return try await group.next()!
            }
        }
        let task = bench.loader.task(for: request("x", race))
        await bench.network.gate.waitForArrivals(2)
        bench.network.gate.letOneThrough()
        #expect(try await red(task.image) == 7)
        await bench.waitUntilIdle()
        #expect(bench.network.cancelled == 1)
    }

    // MARK: Errors

    @Test func theErrorOfAnInterceptorIsTheCause() async throws {
        let bench = Bench()
        let failure = await failure(of: request("x", Around { _, _, _ in throw Stopped() }), bench)
        #expect(failure?.error?.code == .plugInFailed && failure?.underlying is Stopped)
        #expect(failure?.error?.stage == .request && failure?.error?.source == "http://example.org/x")
        #expect(failure?.error?.metrics != nil)
        let own = ImageError(.notFound, message: "It is not there.")
        #expect(await self.failure(of: request("x", Around { _, _, _ in throw own }), bench)?.code == .notFound)
        // The load was not cancelled.
        let cancelled = await self.failure(of: request("x", Around { _, _, _ in throw CancellationError() }), bench)
        #expect(cancelled?.underlying is CancellationError)
        #expect(bench.network.requests.isEmpty)
    }

    @Test func anInvalidOptionOfTheNewRequestFailsNext() async throws {
        let bench = Bench()
        let invalid = Around { request, _, next in
            var invalid = request
            invalid.options.timeout = .seconds(-1)
            return try await next(invalid)
        }
        #expect(await failure(of: request("x", invalid), bench)?.code == .invalidConfiguration)
    }

    private func failure(of request: ImageRequest, _ bench: Bench) async -> LoadFailure? {
        do { _ = try await bench.loader.image(for: request) } catch { return error }
        return nil
    }

    // MARK: Cancelling

    @Test func cancellingEndsTheLoadAndWhatNextLoads() async throws {
        let bench = Bench.held()
        let errors = EventLog<LoadFailure>()
        let task = bench.loader.task(
            for: request(
                "x",
                Around { request, _, next in
                    do { return try await next(request) } catch let error as LoadFailure {
                        errors.append(error)
                        throw error
                    }
                }))
        await bench.network.gate.waitForArrivals(1)
        task.cancel()
        guard case .failure(.cancelled)? = task.result else {
            Issue.record("It ends as cancelled at once.")
            return
        }
        await errors.wait(forCount: 1)
        #expect(errors.events == [.cancelled])
        await bench.waitUntilIdle()
        #expect(bench.network.cancelled == 1)
    }

    enum Way: CaseIterable { case all, owner, release, deadline }

    @Test(arguments: Way.allCases) func aLoadWhoseInterceptorWaitsEnds(_ way: Way) async throws {
        let (gate, clock, answers) = (Gate(), ManualClock(), EventLog<LoadFailure?>())
        var bench: Bench? = Bench { $0.clock = clock }
        var waiting = request(
            "x",
            Around { request, _, next in
                try? await gate.pass()
                defer { answers.append(nil) }
                do { return try await next(request) } catch let failure as LoadFailure {
                    answers.append(failure)
                    throw failure
                }
            })
        waiting.owner = LoadOwner("screen")
        if way == .deadline { waiting.options.deadline = .seconds(5) }
        let task = try #require(bench?.loader.task(for: waiting))
        await gate.waitForArrivals(1)
        switch way {
        case .all: bench?.loader.cancelAll()
        case .owner: bench?.loader.cancel(owner: try #require(waiting.owner))
        case .release: break
        case .deadline:
            await clock.waitForSleeps(1)
            clock.advance(by: .seconds(5))
        }
        let network = bench?.network
        if way == .release { bench = nil }
        do {
            _ = try await task.image
            Issue.record("The load has ended before its interceptor.")
        } catch {
            #expect(way == .deadline ? error.code == .deadlineExceeded : error == .cancelled)
        }
        // Its interceptor was cancelled, so that the gate let it through, and `next` loads nothing any more.
        await answers.wait(forCount: 2)
        #expect(answers.events.first == .cancelled)
        #expect(network?.requests.isEmpty == true)
    }

    // MARK: One load

    @Test func observersAndStatisticsSeeOneLoad() async throws {
        let log = EventLog<String>()
        let bench = Bench { $0.observers = [StartsAndEnds(log: log)] }
        let twice = Around { request, _, next in
            _ = try await next(request.with(source: .url(url("other"))))
            return try await next(request)
        }
        let task = bench.loader.task(for: request("x", twice))
        _ = try await task.image
        await bench.waitUntilIdle()
        #expect(log.events == ["\(task.id) started", "\(task.id) fetched", "\(task.id) fetched", "\(task.id) finished"])
        #expect(bench.loader.statistics.loads.finished == 1)
        _ = await failure(of: request("x", Around { _, _, _ in throw Stopped() }), bench)
        #expect(log.events.suffix(2).map { $0.split(separator: " ")[1] } == ["started", "finished"])
        #expect(bench.loader.statistics.loads.failed == 1)
    }

    private struct StartsAndEnds: LoadObserving {
        let log: EventLog<String>

        func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
            switch observation {
            case .started: log.append("\(load) started")
            case .stageEnded(.network, _): log.append("\(load) fetched")
            case .finished: log.append("\(load) finished")
            default: break
            }
        }
    }

    // MARK: Other loads

    @Test func aPrefetchToTheDiskMakesTheImageAndLeavesMemoryAlone() async throws {
        let bench = Bench()
        let elsewhere = Around { request, _, next in try await next(request.with(source: .url(url("elsewhere")))) }
        let prefetcher = ImagePrefetcher(loader: bench.loader, destination: .disk)
        prefetcher.start([request("x", elsewhere)])
        #expect(await prefetcher.waitUntilIdle().loaded == 1)
        try await bench.loader.flush()
        #expect(bench.disk.keys == [DataKey(resource: ImageRequest(url: url("elsewhere")).resource)])
        #expect(bench.memory.keys.isEmpty)
    }

    @Test func bytesAndHeadersAreLoadedWithoutInterceptors() async throws {
        let bench = Bench()
        let never = Around { _, _, _ in throw Stopped() }
        #expect(try await bench.loader.data(for: request("x", never)).data == Data([7]))
        #expect(try await bench.loader.info(for: request("x", never)).format == ScriptedDecoder.format)
    }

    @Test func theSmallVersionIsLoadedWithoutInterceptors() async throws {
        let bench = Bench()
        let seen = EventLog<URL?>()
        var request = request(
            "x",
            Around { request, _, next in
                if let url = request.source.url { seen.append(url) }
                return try await next(request)
            })
        request.lowResolution = .url(url("small"))
        _ = try await bench.loader.task(for: request).image
        #expect(seen.events == [url("x")])
    }
}
