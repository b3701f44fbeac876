import CalotypeTesting
import ImageCore
import ImageNetworkingCurl
import LoopbackHTTP
import NetworkTestKit
import Testing

@testable import ImageNetworking

@Suite struct TokenBuckets {
    @Test func takingWaitsUntilTheDebtIsPaid() {
        var bucket = TokenBucket(bytesPerSecond: 1000, now: .zero)
        #expect(bucket.take(500, now: .zero) == .milliseconds(500))
        #expect(bucket.take(500, now: .milliseconds(400)) == .milliseconds(600))
    }

    @Test func unusedBytesAccumulateOnlyUpToABurst() {
        var bucket = TokenBucket(bytesPerSecond: 1000, now: .zero)
        #expect(bucket.take(100, now: .seconds(60)) == .zero)
        #expect(bucket.take(100, now: .seconds(60)) == .milliseconds(100))
    }

    @Test func shortChunksCostAsMuchAsLongOnes() {
        var (short, long) = (TokenBucket(bytesPerSecond: 10, now: .zero), TokenBucket(bytesPerSecond: 10, now: .zero))
        var wait = Duration.zero
        for _ in 0..<100 { wait = short.take(1, now: .zero) }
        #expect(abs((wait - long.take(100, now: .zero)) / .seconds(1)) < 1e-6 && wait > .seconds(9))
    }

    @Test func noLimitNeverWaits() {
        var bucket = TokenBucket(bytesPerSecond: 0, now: .zero)
        #expect(bucket.take(1 << 40, now: .zero) == .zero)
        bucket.setRate(1000)
        #expect(bucket.take(1000, now: .zero) > .milliseconds(800))
        bucket.setRate(-5)
        #expect(bucket.bytesPerSecond == 0)
        #expect(bucket.take(1000, now: .zero) == .zero)
    }

    @Test func withoutALimitTheDebtIsDropped() {
        var bucket = TokenBucket(bytesPerSecond: 1000, now: .zero)
        #expect(bucket.take(10_000, now: .zero) == .seconds(10))
        bucket.setRate(0)
        #expect(bucket.take(1, now: .seconds(1)) == .zero)
        bucket.setRate(1000)
        #expect(bucket.take(100, now: .seconds(1)) == .milliseconds(100))
    }

    @Test(arguments: [10_000, 1_000_000, 123_456_789])
    func theRateOfConcurrentReadersIsWithinFivePercent(_ rate: Int) {
        var bucket = TokenBucket(bytesPerSecond: rate, now: .zero)
        var random = SystemRandomNumberGenerator()
        // Each of eight readers continues when its wait is over.
        var due = [Duration](repeating: .zero, count: 8)
        var bytes = 0
        while let now = due.min(), now < .seconds(20) {
            let taker = due.firstIndex(of: now) ?? 0
            let count = Int.random(in: 1...rate / 20, using: &random)
            bytes += count
            due[taker] = now + bucket.take(count, now: now)
        }
        #expect((0.95...1.05).contains(Double(bytes) / 20 / Double(rate)))
    }
}

@Suite(.timeLimit(.minutes(1)))
struct Throttling {
    @Test func aBodyTakesAsLongAsItsRateSays() async throws {
        let body = String(repeating: "abcdefghij", count: 100_000)
        let server = try LoopbackServer.answering(body: body)
        let clock = RecordingClock()
        let loader = ThrottledLoader(
            CurlLoader(), limit: BandwidthLimit(bytesPerSecond: 100_000, clock: clock))
        #expect(try await loader.load(try server.request()).body.text() == body)
        let seconds = clock.slept.reduce(.zero, +) / .seconds(1)
        #expect((9.5...10.5).contains(seconds))
        #expect(clock.slept.allSatisfy { $0 <= .milliseconds(200) })
    }

    @Test func allLoadsTogetherKeepToTheRate() async throws {
        let clock = ManualClock()
        let network = ScriptedLoader { _ in .body(Data(count: 5_000)) }
        let loader = ThrottledLoader(network, limit: BandwidthLimit(bytesPerSecond: 100_000, clock: clock))
        let request = DataRequest(url: try #require(URL(string: "test://a")))
        let tasks = (0..<3).map { _ in Task { try await loader.body(of: request).count } }
        await clock.waitForSleeps(3)
        #expect(clock.requestedSleeps.sorted() == [.milliseconds(50), .milliseconds(100), .milliseconds(150)])
        clock.advance(by: .milliseconds(150))
        for task in tasks { #expect(try await task.value == 5_000) }
    }

    @Test func aLoadThatIsCancelledWhileItWaitsEndsAtOnce() async throws {
        let clock = ManualClock()
        let loader = ThrottledLoader(
            ScriptedLoader { _ in .body(Data(count: 5_000)) }, limit: BandwidthLimit(bytesPerSecond: 1, clock: clock))
        let request = DataRequest(url: try #require(URL(string: "test://a")))
        let task = Task { try await loader.body(of: request) }
        await clock.waitForSleeps(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func aWaitForTheRateEndsAtTheDeadline() async throws {
        let clock = RecordingClock()
        let loader = ThrottledLoader(
            ScriptedLoader { _ in .body(Data(count: 5_000)) }, limit: BandwidthLimit(bytesPerSecond: 1, clock: clock))
        var limited = DataRequest(url: try #require(URL(string: "test://a")))
        limited.deadline = Deadline(after: .seconds(10), clock: clock)
        let request = limited
        #expect(try await imageError { _ = try await loader.body(of: request) }.code == .deadlineExceeded)
        #expect(clock.slept == [.seconds(10)])
    }

    @Test func aChangedRateAppliesFromTheNextChunk() async throws {
        let clock = RecordingClock()
        let limit = BandwidthLimit(bytesPerSecond: 20_000, clock: clock)
        let loader = ThrottledLoader(ScriptedLoader { _ in .body(Data(count: 10_000)) }, limit: limit)
        let request = DataRequest(url: try #require(URL(string: "test://a")))
        var sizes: [Int] = []
        for try await chunk in try await loader.load(request).body {
            sizes.append(chunk.count)
            limit.bytesPerSecond = sizes.count == 1 ? 40_000 : 0
        }
        #expect(sizes == [1024, 2000, 6976])
        #expect(clock.slept == [.seconds(1024.0 / 20_000), .milliseconds(50)])
    }

    @Test func withoutALimitTheBodyIsUnchanged() async throws {
        let server = try LoopbackServer.answering(body: "whole")
        let clock = RecordingClock()
        let loader = ThrottledLoader(CurlLoader(), limit: BandwidthLimit(bytesPerSecond: 0, clock: clock))
        #expect(try await loader.load(try server.request()).body.text() == "whole")
        #expect(clock.slept == [])
    }

    @Test func aThrottledReaderSlowsTheServerDown() async throws {
        let sent = Lock(0)
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Transfer-Encoding", "chunked")])
            while true {
                try connection.writeChunk([UInt8](repeating: 1, count: 64 << 10))
                sent.withLock { $0 += 64 << 10 }
            }
        }
        let loader = ThrottledLoader(
            CurlLoader(), limit: BandwidthLimit(bytesPerSecond: 1_000_000, clock: RecordingClock()))
        var read = 0
        for try await chunk in try await loader.load(try server.request(maximumResponseBytes: 1 << 30)).body {
            read += chunk.count
            if read > 8 << 20 { break }
        }
        #expect(sent.withLock { $0 } - read < 4 << 20 + mostInSockets())
        try await server.disconnections.wait(forCount: 1)
    }
}
