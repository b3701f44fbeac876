import Calotype
import CalotypeTesting
import Foundation
import LoopbackHTTP
import Testing

/// A server that allows some requests a second, and refuses others with 429 and `Retry-After: 1`.
private final class RateLimitedServer: Sendable {
    private struct State {
        var second = 0
        var count = 0
        var refusals = 0
    }

    private let limit: Int
    private let state = Lock(State())

    init(requestsPerSecond limit: Int) { self.limit = limit }

    var refusals: Int { state.withLock { $0.refusals } }

    func server(_ body: [UInt8]) throws -> LoopbackServer {
        let start = ContinuousClock.now
        return try LoopbackServer(serving: { [self] _ in
            let second = Int((ContinuousClock.now - start).components.seconds)
            let isAllowed = state.withLock { state in
                if state.second != second { (state.second, state.count) = (second, 0) }
                state.count += 1
                if state.count > limit { state.refusals += 1 }
                return state.count <= limit
            }
            return isAllowed ? .init(200, body: body) : .init(429, headers: [("Retry-After", "1")])
        })
    }
}

/// Loads from a host that limits the rate of requests wait for one another, and none fails (FEATURES 4.13).
@Suite(.timeLimit(.minutes(2)))
struct LoadsOfARateLimitedHost {
    /// With `CALOTYPE_RATE_LIMITED_LOADS=300`, the test loads more, for half a minute.
    @Test func allLoadsSucceedInAboutTheTimeThatTheLimitAllows() async throws {
        let count = ProcessInfo.processInfo.environment["CALOTYPE_RATE_LIMITED_LOADS"].flatMap { Int($0) } ?? 25
        let limited = RateLimitedServer(requestsPerSecond: 10)
        let server = try limited.server(try servedPNG())
        let loader = ImageLoader.standard { ($0.memoryCache, $0.dataCache) = (nil, nil) }
        let start = ContinuousClock.now
        let failures = await withTaskGroup(of: LoadFailure?.self) { group in
            for number in 0..<count {
                group.addTask {
                    do {
                        _ = try await loader.image(for: imageRequest(server, "/\(number)"))
                        return nil
                    } catch {
                        return error as? LoadFailure
                    }
                }
            }
            return await group.reduce(into: [LoadFailure]()) { all, failure in if let failure { all.append(failure) } }
        }
        let taken = ContinuousClock.now - start
        #expect(failures.isEmpty, "\(failures.count) failed, first \(String(describing: failures.first))")
        // Each pause may last a tenth longer than the server asked for, and begin late in a second.
        #expect(taken <= .seconds(count) / 10 * 2 + .seconds(3), "It took \(taken) with \(limited.refusals) refusals.")
    }
}
