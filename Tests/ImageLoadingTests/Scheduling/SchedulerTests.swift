import ImageCore
import Testing

@testable import ImageLoading

/// The scheduler as a value: two ways that lead to the same state are equal.
@Suite struct SchedulerTests {
    private let a = JobID(rawValue: 1)
    private let b = JobID(rawValue: 2)
    private let c = JobID(rawValue: 3)
    private let d = JobID(rawValue: 4)

    /// The state after events, from the start: three fetches in total and two of a host, two workers, ten bytes.
    private func state(_ events: (inout Scheduler) -> Void = { _ in }) -> Scheduler {
        var scheduler = Scheduler(fetches: 3, fetchesPerHost: 2, localReads: 1, workers: 2, concurrentDecodeBytes: 10)
        events(&scheduler)
        return scheduler
    }

    /// A plain load; a later one has a greater time.
    private func plain(_ time: UInt64, _ priority: LoadPriority = .normal) -> QueueRank {
        QueueRank(rankClass: RankClass(.plain, priority), oldest: time, newest: 0)
    }

    private func view(_ time: UInt64) -> QueueRank { QueueRank(rankClass: RankClass(.view, .normal), oldest: time, newest: time) }

    private func revalidation(_ time: UInt64) -> QueueRank { QueueRank(rankClass: .revalidation, oldest: time, newest: 0) }

    private func prefetch(_ time: UInt64) -> QueueRank {
        QueueRank(rankClass: RankClass(.prefetch, .high), oldest: time, newest: 0)
    }

    // MARK: Enqueue

    @Test func workThatWaitedHasTheSameSlotAsWorkThatBeganAtOnce() {
        let atOnce = state { scheduler in
            let mayRun = scheduler.request(.network, for: a, host: "x", rank: plain(1))
            #expect(mayRun)
        }
        let later = state { scheduler in
            scheduler.isPaused = true
            let mayRun = scheduler.request(.network, for: a, host: "x", rank: plain(1))
            #expect(!mayRun)
            scheduler.isPaused = false
            let granted = scheduler.grant()
            #expect(granted == [a])
        }
        #expect(atOnce == later && atOnce != state())
    }

    @Test func workThatWaitsIsPartOfTheState() {
        func waiting(_ work: JobID, _ host: String, _ rank: QueueRank) -> Scheduler {
            state { scheduler in
                scheduler.isPaused = true
                _ = scheduler.request(.network, for: work, host: host, rank: rank)
            }
        }
        let one = waiting(a, "x", plain(1))
        #expect(one == waiting(a, "x", plain(1)))
        #expect(one != waiting(b, "x", plain(1)))
        #expect(one != waiting(a, "y", plain(1)))
        #expect(one != waiting(a, "x", plain(2)))
    }

    @Test func workThatIsWithdrawnOrReleasedLeavesNothing() {
        let ended = state { scheduler in
            for work in [a, b] { _ = scheduler.request(.network, for: work, host: "x", rank: plain(1)) }
            // The host has its two.
            let mayRun = scheduler.request(.network, for: c, host: "x", rank: plain(2))
            #expect(!mayRun)
            scheduler.withdraw(c)
            for work in [a, b] { scheduler.release(work) }
            let granted = scheduler.grant()
            #expect(granted.isEmpty)
        }
        #expect(ended == state())
    }

    @Test func theMemoryOfABurstIsGivenBackWhetherItWaitedOrRan() {
        let burst = (1...400).map { JobID(rawValue: $0) }
        var paused = state { $0.isPaused = true }
        for work in burst { _ = paused.request(.network, for: work, host: "x", rank: plain(1)) }
        #expect(paused.capacity > 256)
        for work in burst { paused.withdraw(work) }
        #expect(paused.capacity <= 256)
        var running = Scheduler(fetches: .max, fetchesPerHost: .max, localReads: 1, workers: 1)
        for work in burst { _ = running.request(.network, for: work, host: "x", rank: plain(1)) }
        #expect(running.capacity > 256)
        for work in burst { running.release(work) }
        #expect(running.capacity <= 256)
    }

    // MARK: Promote

    @Test func workWhoseRankChangedStandsWhereItWouldHaveStood() {
        func queue(_ first: QueueRank, _ second: QueueRank) -> Scheduler {
            state { scheduler in
                scheduler.isPaused = true
                _ = scheduler.request(.network, for: a, host: "x", rank: first)
                _ = scheduler.request(.network, for: b, host: "y", rank: second)
            }
        }
        var promoted = queue(plain(1), plain(2))
        promoted.setRank(of: b, view(2))
        #expect(promoted == queue(plain(1), view(2)))
        promoted.isPaused = false
        let granted = promoted.grant()
        #expect(granted == [b, a])
    }

    @Test func aRankOfWorkThatDoesNotWaitChangesNothing() {
        let running = state { _ = $0.request(.network, for: a, host: "x", rank: plain(1)) }
        var changed = running
        changed.setRank(of: a, view(2))
        changed.setRank(of: b, view(2))
        #expect(changed == running)
    }

    // MARK: Admit

    @Test func slotsAreGivenInTotalAndPerHostByRank() {
        var scheduler = state { $0.isPaused = true }
        for (work, host, rank) in [(a, "x", plain(1)), (b, "x", plain(2, .high)), (c, "x", view(3)), (d, "y", prefetch(4))] {
            _ = scheduler.request(.network, for: work, host: host, rank: rank)
        }
        scheduler.isPaused = false
        let granted = scheduler.grant()
        #expect(granted == [c, b, d], "The host x has its two, and there are three in total.")
        scheduler.release(d)
        var next = scheduler.grant()
        #expect(next.isEmpty)
        scheduler.release(c)
        next = scheduler.grant()
        #expect(next == [a])
        let same = state { scheduler in
            _ = scheduler.request(.network, for: a, host: "x", rank: plain(1))
            _ = scheduler.request(.network, for: b, host: "x", rank: plain(2, .high))
        }
        #expect(scheduler == same)
    }

    @Test func memoryIsClaimedWhereItIsFreeAndComesBackWithTheSlot() {
        var scheduler = state { scheduler in
            for work in [a, b] { _ = scheduler.request(.worker, for: work, rank: plain(1)) }
        }
        let before = scheduler
        var hasRoom = scheduler.claim(8, for: a)
        #expect(hasRoom)
        let claimed = scheduler
        hasRoom = scheduler.claim(3, for: b)
        #expect(!hasRoom && scheduler == claimed && claimed != before)
        for work in [a, b] { scheduler.release(work) }
        #expect(scheduler == state())
    }

    /// It is about to end, and must not wait for memory.
    @Test func workThatHasLostItsSlotMayContinue() {
        var scheduler = state()
        let mayContinue = scheduler.claim(100, for: a)
        #expect(mayContinue && scheduler == state())
    }

    @Test func workThatDoesNotFitKeepsTheOthersBehindIt() {
        var scheduler = state { scheduler in
            _ = scheduler.request(.worker, for: a, bytes: 8, rank: plain(1))
            _ = scheduler.request(.worker, for: b, bytes: 8, rank: plain(2))
            _ = scheduler.request(.worker, for: c, bytes: 1, rank: plain(3))
        }
        var granted = scheduler.grant()
        #expect(granted.isEmpty)
        scheduler.release(a)
        granted = scheduler.grant()
        #expect(granted == [b, c])
    }

    @Test func previewsGiveTheirMemoryToADecode() {
        var scheduler = state()
        let mayPreview = scheduler.claimForPreviews(8, for: a)
        #expect(mayPreview)
        let mayRun = scheduler.request(.worker, for: b, bytes: 8, rank: plain(1))
        let evicted = scheduler.takeEvicted()
        #expect(mayRun && evicted == [a])
        #expect(scheduler == state { _ = $0.request(.worker, for: b, bytes: 8, rank: plain(1)) })
    }

    // MARK: Pause

    @Test func aPauseThatEndsLeavesNothing() {
        let running = state { _ = $0.request(.network, for: a, host: "x", rank: plain(1)) }
        var paused = running
        paused.isPaused = true
        #expect(paused != running)
        let granted = paused.grant()
        #expect(granted.isEmpty)
        paused.isPaused = false
        #expect(paused == running)
    }

    @Test func aPauseHoldsFetchesAndNothingElse() {
        var scheduler = state { $0.isPaused = true }
        let mayRun = ResourceClass.allCases.enumerated().map { number, resource in
            scheduler.request(resource, for: JobID(rawValue: UInt64(number)), rank: plain(1))
        }
        #expect(mayRun == ResourceClass.allCases.map { $0 != .network })
    }

    @Test func prefetchesAndRevalidationsAreHeldWhileTheNetworkIsConstrained() {
        var scheduler = state { $0.holdsPrefetches = true }
        for (work, rank) in [(a, prefetch(1)), (b, revalidation(2)), (c, plain(3))] {
            _ = scheduler.request(.network, for: work, host: "x", rank: rank)
        }
        var granted = scheduler.grant()
        #expect(granted == [c])
        scheduler.holdsPrefetches = false
        granted = scheduler.grant()
        #expect(granted == [a])
    }

    // MARK: Revalidations

    @Test func revalidationsUseHalfOfTheSlots() {
        var scheduler = Scheduler(fetches: 8, fetchesPerHost: 4, localReads: 1, workers: 1)
        var hosts: [String] = []
        let works = (0..<12).map { JobID(rawValue: $0) }
        for (work, host) in zip(works, ["x", "x", "x", "y", "y", "y", "z", "z", "z"]) {
            if scheduler.request(.network, for: work, host: host, rank: revalidation(work.rawValue)) { hosts.append(host) }
        }
        hosts += scheduler.grant().map { ["x", "y", "z"][Int($0.rawValue) / 3] }
        #expect(hosts == ["x", "x", "y", "y"], "Two of each host, and four in total.")
        // Loads use the other half at once.
        let loads = works.suffix(2)
        for work in loads { _ = scheduler.request(.network, for: work, host: "x", rank: plain(work.rawValue)) }
        var granted = scheduler.grant()
        #expect(granted == Array(loads))
        // A revalidation follows only where less than half is in use.
        scheduler.release(works[0])
        granted = scheduler.grant()
        #expect(granted.isEmpty)
        for work in [works[1], works[10], works[11]] { scheduler.release(work) }
        granted = scheduler.grant()
        #expect(granted == [works[2], works[6]])
    }
}
