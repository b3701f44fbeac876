import CalotypeTesting
import ImageCore
import Testing

@testable import ImageLoading

@Suite struct PrefetchQueueRules {
    typealias Queue = PrefetchQueue<String, Int, Int>

    @Test func requestsAreTakenInTheOrderTheyCameUpToTheLimit() {
        var queue = Queue(limit: 2)
        for (number, key) in ["a", "b", "c"].enumerated() { queue.add(number, for: key) }
        let taken = [queue.take()?.request, queue.take()?.request, queue.take()?.request]
        #expect(taken == [0, 1, nil])
        #expect((queue.waiting, queue.running) == (1, 2))
    }

    @Test func theHandlesOfRunningLoadsAreInTheOrderOfTheirStart() {
        var queue = Queue(limit: 20)
        for number in 0..<20 {
            queue.add(number, for: "\(number)")
            let isWanted = queue.take().map { queue.began($0.ticket, number) }
            #expect(isWanted == true)
        }
        let stopped = queue.stop("7")
        #expect(stopped == 7 && queue.handles == Array(0..<7) + Array(8..<20))
    }

    @Test func theSameKeyIsQueuedOnceUntilItEnds() {
        var queue = Queue(limit: 1)
        let isNew = queue.add(1, for: "a")
        #expect(isNew)
        let isNewWhileWaiting = queue.add(2, for: "a")
        #expect(!isNewWhileWaiting)
        let turn = queue.take()!.ticket
        let isNewWhileRunning = queue.add(3, for: "a")
        #expect(!isNewWhileRunning)
        queue.ended(turn)
        let isNewAfterTheEnd = queue.add(4, for: "a")
        #expect(isNewAfterTheEnd)
        let next = queue.take()?.request
        #expect(next == 4)
    }

    @Test func aStoppedRequestInTheQueueIsSkipped() {
        var queue = Queue(limit: 1)
        queue.add(1, for: "a")
        queue.add(2, for: "b")
        let handle = queue.stop("a")
        #expect(handle == nil)
        let next = queue.take()?.request
        #expect(next == 2)
    }

    @Test func aKeyStoppedAndStartedAnewHasATurnOfItsOwn() {
        var queue = Queue(limit: 2)
        queue.add(1, for: "a")
        let first = queue.take()!.ticket
        let handle = queue.stop("a")
        #expect(handle == nil)
        queue.add(2, for: "a")
        let second = queue.take()!.ticket
        // The first load reports late: it is not wanted, and its end is not that of the second.
        let isWantedLate = queue.began(first, 7)
        #expect(!isWantedLate)
        queue.ended(first)
        #expect(queue.running == 1)
        let isWanted = queue.began(second, 8)
        #expect(isWanted)
        let stopped = queue.stop("a")
        #expect(stopped == 8)
        #expect(queue.isEmpty && queue.running == 0)
    }

    @Test func aHeldQueueGivesNothingOut() {
        var queue = Queue(limit: 1)
        queue.add(1, for: "a")
        queue.isPaused = true
        let held = queue.take()?.request
        #expect(held == nil)
        queue.isPaused = false
        let next = queue.take()?.request
        #expect(next == 1)
    }

    @Test func manyStartsAndStopsLeaveNothingBehind() {
        var queue = Queue(limit: 1)
        for number in 0..<10_000 {
            queue.add(number, for: "\(number)")
            let turn = queue.take()!.ticket
            if number.isMultiple(of: 2) { queue.ended(turn) } else { _ = queue.stop("\(number)") }
        }
        #expect(queue.isEmpty && queue.running == 0)
        #expect(queue.order.count < 100)
    }

    @Test func requestsStoppedWhileTheQueueIsPausedLeaveNoWork() {
        var queue = Queue(limit: 1)
        queue.isPaused = true
        for number in 0..<10_000 {
            queue.add(number, for: "\(number)")
            if number > 2 { _ = queue.stop("\(number)") }
        }
        #expect(queue.waiting == 3 && queue.order.count < 100)
        queue.isPaused = false
        let next = queue.take()?.request
        #expect(next == 0)
    }
}

@Suite(.timeLimit(.minutes(1))) struct Prefetching {
    private let names = (0..<6).map { url("\($0)") }

    @Test func aPrefetchedImageIsAMemoryHit() async throws {
        let bench = Bench()
        let prefetcher = ImagePrefetcher(loader: bench.loader)
        prefetcher.start(names)
        await prefetcher.waitUntilIdle()
        #expect(bench.memory.keys.count == 6)
        #expect(try await bench.loader.response(for: ImageRequest(url: names[3])).tier == .memory)
        #expect(bench.network.requests.count == 6)
    }

    @Test func aPrefetchToDiskStoresTheBytesAndDecodesNothing() async throws {
        let bench = Bench()
        let prefetcher = ImagePrefetcher(loader: bench.loader, destination: .disk)
        prefetcher.start(names)
        await prefetcher.waitUntilIdle()
        await bench.waitUntilIdle()
        #expect(bench.disk.keys.count == 6)
        #expect(bench.memory.keys.isEmpty)
        #expect(bench.decoder.decodes.isEmpty)
        #expect(try await bench.loader.response(for: ImageRequest(url: names[3])).tier == .disk)
    }

    @Test func filesOfUnknownFormatAreNotStoredOnDisk() async throws {
        let bench = Bench(decoder: ScriptedDecoder(accepts: { $0.first != 7 }))
        let prefetcher = ImagePrefetcher(loader: bench.loader, destination: .disk)
        prefetcher.start([names[0]])
        await prefetcher.waitUntilIdle()
        await bench.waitUntilIdle()
        #expect(bench.network.requests.count == 1)
        #expect(bench.disk.keys.isEmpty)
    }

    @Test func aPrefetchToDiskPassesOverWhatIsNeverStoredThere() async throws {
        let bench = Bench()
        let prefetcher = ImagePrefetcher(loader: bench.loader, destination: .disk)
        var unstored = ImageRequest(url: names[0])
        unstored.options.storesToDisk = false
        prefetcher.start([unstored, ImageRequest(.bytes(Data([1]), id: "local"))])
        await prefetcher.waitUntilIdle()
        #expect(bench.network.requests.isEmpty)
        #expect(bench.disk.calls.isEmpty)
    }

    @Test func noMoreRunAtATimeThanTheLimit() async throws {
        let starts = Starts()
        let bench = Bench.held { $0.observers = [starts] }
        let prefetcher = ImagePrefetcher(loader: bench.loader, maximumLoads: 2)
        prefetcher.start(names)
        await bench.network.gate.waitForArrivals(2)
        #expect(prefetcher.activity == (4, 2))
        #expect(bench.loader.activity.loads == 2)
        bench.network.gate.open()
        await prefetcher.waitUntilIdle()
        // Of those that run at a time any may reach the network first; they start in the order they were asked for.
        #expect(starts.log.events == names.map { ImageRequest(url: $0).source.description })
        #expect(Set(bench.network.requests.map(\.url)) == Set(names) && bench.network.requests.count == names.count)
    }

    @Test func prefetchesGiveWayToPlainLoads() async throws {
        let bench = Bench.held { $0.limits.fetches = 1 }
        let first = bench.loader.task(for: ImageRequest(url: url("first")))
        await bench.network.gate.waitForArrivals(1)
        let prefetcher = ImagePrefetcher(loader: bench.loader, priority: .veryHigh)
        prefetcher.start(names[..<2])
        await bench.disk.waitForCalls(3)
        var plain = ImageRequest(url: url("plain"))
        plain.options.priority = .veryLow
        let task = bench.loader.task(for: plain)
        await bench.disk.waitForCalls(4)
        // Its answer from the disk has to reach the queue too.
        while bench.loader.activity.queued < 3 { await Task.yield() }
        bench.network.gate.open()
        _ = try await (first.response, task.response)
        await prefetcher.waitUntilIdle()
        #expect(bench.network.requests.map(\.url.lastPathComponent) == ["first", "plain", "0", "1"])
    }

    @Test func aVisibleRequestJoinsARunningPrefetchAndPromotesIt() async throws {
        let bench = Bench.held { $0.limits.fetches = 1 }
        let blocker = bench.loader.task(for: ImageRequest(url: url("blocker")))
        await bench.network.gate.waitForArrivals(1)
        let prefetcher = ImagePrefetcher(loader: bench.loader, maximumLoads: 6)
        prefetcher.start(names)
        while bench.loader.activity.queued < 6 { await Task.yield() }
        let visible = bench.loader.task(for: ImageRequest(.url(names[5]), purpose: .view))
        bench.network.gate.open()
        _ = try await blocker.response
        #expect(try await visible.response.metrics.isCoalesced == true)
        await prefetcher.waitUntilIdle()
        // One fetch for both, and it went before the other prefetches.
        #expect(bench.network.requests.map(\.url.lastPathComponent) == ["blocker", "5", "0", "1", "2", "3", "4"])
        // Each request has the purpose that its load had when the fetch began.
        #expect(bench.network.requests.map(\.purpose) == [.plain, .view] + Array(repeating: .prefetch, count: 5))
    }

    @Test func stoppingLeavesTheWorkThatSomebodyElseAwaits() async throws {
        let bench = Bench.held()
        let prefetcher = ImagePrefetcher(loader: bench.loader)
        prefetcher.start(names[..<2])
        await bench.network.gate.waitForArrivals(2)
        let visible = bench.loader.task(for: ImageRequest(url: names[0]))
        prefetcher.stop(names[..<2])
        #expect(prefetcher.activity == (0, 0))
        while bench.network.cancelled == 0 { await Task.yield() }
        bench.network.gate.open()
        #expect(try await visible.response.tier == .network)
        await bench.waitUntilIdle()
        #expect(bench.network.cancelled == 1)
        #expect(bench.memory.keys.count == 1)
    }

    @Test func aStoppedPrefetchMakesRoomForTheNext() async throws {
        let bench = Bench.held()
        let prefetcher = ImagePrefetcher(loader: bench.loader, maximumLoads: 1)
        prefetcher.start(names[..<2])
        await bench.network.gate.waitForArrivals(1)
        prefetcher.stop([names[0]])
        await bench.network.gate.waitForArrivals(2)
        bench.network.gate.open()
        await prefetcher.waitUntilIdle()
        #expect(bench.memory.keys.map(\.resource.text) == [names[1].absoluteString])
    }

    @Test func stoppingAllEndsTheWaitForAnIdleMoment() async throws {
        let bench = Bench.held()
        let prefetcher = ImagePrefetcher(loader: bench.loader, maximumLoads: 1)
        prefetcher.start(names)
        await bench.network.gate.waitForArrivals(1)
        async let report = prefetcher.waitUntilIdle()
        prefetcher.stopAll()
        #expect(await report.stopped == 6)
        await bench.waitUntilIdle()
        #expect(bench.network.requests.count == 1)
    }

    /// None of them has begun, so no load ends that would end the wait.
    @Test(arguments: ["owner", "all loads", "requests", "all requests"])
    func whoeverStopsWaitingRequestsEndsTheWaitForThem(_ stop: String) async {
        let bench = Bench()
        let prefetcher = ImagePrefetcher(loader: bench.loader, owner: LoadOwner("screen"))
        prefetcher.isPaused = true
        prefetcher.start(names)
        let idle = Task.immediate { await prefetcher.waitUntilIdle() }
        switch stop {
        case "owner": bench.loader.cancel(owner: LoadOwner("screen"))
        case "all loads": bench.loader.cancelAll()
        case "requests": prefetcher.stop(names)
        default: prefetcher.stopAll()
        }
        #expect(await idle.value.stopped == names.count)
        #expect(prefetcher.activity == (0, 0) && bench.network.requests.isEmpty)
    }

    @Test func aDroppedPrefetcherStopsItsLoads() async throws {
        let bench = Bench.held()
        var prefetcher: ImagePrefetcher? = ImagePrefetcher(loader: bench.loader, maximumLoads: 2)
        prefetcher?.start(names)
        await bench.network.gate.waitForArrivals(2)
        prefetcher = nil
        await bench.waitUntilIdle()
        #expect(bench.network.cancelled == 2)
        #expect(bench.network.requests.count == 2)
    }

    @Test func nothingBeginsWhilePaused() async throws {
        let bench = Bench()
        let prefetcher = ImagePrefetcher(loader: bench.loader)
        prefetcher.isPaused = true
        prefetcher.start(names)
        _ = try await bench.loader.image(for: url("visible"))
        #expect(bench.network.requests.map(\.url.lastPathComponent) == ["visible"])
        #expect(prefetcher.activity == (6, 0))
        prefetcher.isPaused = false
        await prefetcher.waitUntilIdle()
        #expect(bench.network.requests.count == 7)
    }

    @Test func aSecondRequestForTheSameImageIsNotFetchedTwice() async throws {
        let bench = Bench.held()
        let prefetcher = ImagePrefetcher(loader: bench.loader)
        prefetcher.start(names[..<2])
        prefetcher.start(names[..<2])
        #expect(prefetcher.activity == (0, 2))
        var small = ImageRequest(url: names[0])
        small.options.targetSize = PixelSize(width: 2, height: 2)
        prefetcher.start([small])
        #expect(prefetcher.activity == (0, 3))
        bench.network.gate.open()
        await prefetcher.waitUntilIdle()
        #expect(bench.network.requests.count == 2)
        #expect(bench.memory.keys.count == 3)
    }

    @Test func aFailureDoesNotStopTheOthers() async throws {
        let bench = Bench(
            network: ScriptedLoader { request in
                if request.url.lastPathComponent == "1" { throw ImageError(.connectionFailed, message: "no") }
                return .body(Data([7]))
            })
        let prefetcher = ImagePrefetcher(loader: bench.loader, maximumLoads: 1)
        prefetcher.start(names[..<3])
        await prefetcher.waitUntilIdle()
        #expect(bench.memory.keys.count == 2)
    }

    /// FEATURES 12.2
    @Test(arguments: [ImagePrefetcher.Destination.memory, .disk])
    func theReportSaysWhatWasLoadedSkippedAndFailed(_ destination: ImagePrefetcher.Destination) async throws {
        let bench = Bench(
            network: ScriptedLoader { request in
                if request.url.lastPathComponent == "1" { throw ImageError(.connectionFailed, message: "no") }
                return .body(Data([7]))
            })
        _ = try await bench.loader.image(for: names[0])
        await bench.waitUntilIdle()
        let reports = EventLog<ImagePrefetcher.Report>()
        let prefetcher = ImagePrefetcher(loader: bench.loader, destination: destination) { reports.append($0) }
        var invalid = ImageRequest(url: url("invalid"))
        invalid.options.timeout = .zero
        prefetcher.isPaused = true
        prefetcher.start([ImageRequest(url: names[2]), invalid] + names.map { ImageRequest(url: $0) })
        prefetcher.stop([names[5]])
        prefetcher.isPaused = false
        let report = await prefetcher.waitUntilIdle()
        #expect(report.total == 7 && report.ended == 7)
        #expect(report.loaded == 3 && report.skipped == 1 && report.failed == 2 && report.stopped == 1)
        #expect(
            report.failures.map(\.request.source.description) == [invalid, ImageRequest(url: names[1])].map(\.source.description))
        #expect(report.failures.map(\.failure.error?.code) == [.invalidConfiguration, .connectionFailed])
        let ends = reports.events.map(\.ended)
        #expect(ends.sorted() == ends && ends.first == 1 && ends.last == 7)

        // The next requests begin a new report.
        prefetcher.start(names[...2])
        let second = await prefetcher.waitUntilIdle()
        #expect(second.total == 3 && second.loaded == 0 && second.skipped == 2 && second.failed == 1 && second.stopped == 0)
        #expect(prefetcher.report.ended == 3)
    }

    @Test func whatIsNeverStoredOnDiskIsSkippedAndWhatIsCancelledIsStopped() async throws {
        let bench = Bench.held()
        let prefetcher = ImagePrefetcher(loader: bench.loader, destination: .disk, maximumLoads: 1, owner: LoadOwner("screen"))
        prefetcher.start([ImageRequest(.bytes(Data([1]), id: "local"))] + names.map { ImageRequest(url: $0) })
        await bench.network.gate.waitForArrivals(1)
        #expect(prefetcher.report.skipped == 1 && prefetcher.report.ended == 1)
        bench.loader.cancel(owner: LoadOwner("screen"))
        let report = await prefetcher.waitUntilIdle()
        #expect(report.total == 7 && report.skipped == 1 && report.stopped == 6)
    }

    @Test func thePriorityOfRunningPrefetchesFollowsThePrefetcher() async throws {
        let bench = Bench.held()
        bench.loader.isPaused = true
        let prefetcher = ImagePrefetcher(loader: bench.loader)
        prefetcher.start(names[..<2])
        while bench.loader.activity.queued < 2 { await Task.yield() }
        prefetcher.priority = .high
        bench.loader.isPaused = false
        await bench.network.gate.waitForArrivals(2)
        #expect(bench.network.requests.map(\.priority) == [.high, .high])
        bench.network.gate.open()
        await prefetcher.waitUntilIdle()
    }

    @Test(arguments: [ImagePrefetcher.Destination.memory, .disk], LoadPriority.allCases)
    func aPrefetchReachesTheNetworkWithThePriorityOfItsPrefetcher(
        destination: ImagePrefetcher.Destination, priority: LoadPriority
    ) async {
        let bench = Bench()
        let prefetcher = ImagePrefetcher(loader: bench.loader, destination: destination, priority: priority)
        prefetcher.start(names[..<1])
        await prefetcher.waitUntilIdle()
        #expect(bench.network.requests.map(\.priority) == [priority])
        #expect(bench.network.requests.map(\.purpose) == [.prefetch])
    }

    @Test(.timeLimit(.minutes(1))) func aRequestThatWasTakenDoesNotLoadAfterAllWereStopped() async {
        let stopping = Stopping()
        let bench = Bench.held { $0.observers = [stopping] }
        let prefetcher = ImagePrefetcher(loader: bench.loader)
        stopping.prefetcher.withLock { $0 = prefetcher }
        prefetcher.start(names)
        await prefetcher.waitUntilIdle()
        // Though the network never answers.
        await bench.waitUntilIdle()
        #expect(stopping.started.count == 1 && bench.memory.keys.isEmpty)
    }

    /// What a request captures may call the prefetcher when it is released, which would deadlock under the lock.
    @Test(.timeLimit(.minutes(1)), arguments: Stop.allCases) func stoppedRequestsAreReleasedOutsideTheLock(_ stop: Stop) async {
        let bench = Bench.held()
        let (prefetcher, releases) = (ImagePrefetcher(loader: bench.loader, maximumLoads: 1), EventLog<Bool>())
        prefetcher.isPaused = true
        prefetcher.start(
            (0..<100).map { number in
                let capture = Capture { releases.append(prefetcher.activity.running <= 1) }
                return ImageRequest(.producer(id: "\(number)") { withExtendedLifetime(capture) { Data([7]) } })
            })
        let all = (0..<100).map { ImageRequest(.producer(id: "\($0)") { Data() }) }
        switch stop {
        case .each: prefetcher.stop(all)
        case .all: prefetcher.stopAll()
        case .loader: bench.loader.cancelAll()
        case .skipped:
            // Too few for the queue to be searched at once: they are skipped when their turn comes.
            prefetcher.stop(all[1..<20])
        }
        prefetcher.isPaused = false
        await prefetcher.waitUntilIdle()
        while releases.events.count < 100 { await Task.yield() }
        #expect(releases.events.allSatisfy { $0 })
    }

    enum Stop: CaseIterable { case each, all, loader, skipped }
}

/// Which loads have started, in order.
private final class Starts: LoadObserving {
    let log = EventLog<String>()

    func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
        if case .started = observation { log.append(request.source.description) }
    }
}

/// Stops all prefetches when the first load has started, before the prefetcher has its handle.
private final class Stopping: LoadObserving {
    let prefetcher = Lock<ImagePrefetcher?>(nil)
    let started = EventLog<LoadID>()

    func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
        guard case .started = observation else { return }
        started.append(load)
        prefetcher.withLock { $0 }?.stopAll()
    }
}

/// Calls back when it is released.
private final class Capture: Sendable {
    private let onRelease: @Sendable () -> Void

    init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }

    deinit { onRelease() }
}
