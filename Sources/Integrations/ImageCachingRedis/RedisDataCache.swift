#if Redis
    internal import Dispatch
    internal import ImageCaching
    public import ImageCore

    /// A store that several machines share: entries as values of a Redis server, or of one that speaks its protocol.
    ///
    /// To be put behind a local cache with ``TieredDataCache``. Each entry is one value, named by a prefix and a digest that
    /// tells nothing of the URL, with a time to live; the server's own limits and policy decide what it evicts. Every read
    /// is checked against a checksum; what does not check is a miss.
    ///
    /// What the server does, or does not, costs hits and never a load: each command has a time limit, and after a few
    /// failures nothing is asked of the server for a while. No call blocks its thread: commands run on queues of their own,
    /// one per connection. Throws nothing but `CancellationError`; only ``removeAll()`` tells that it failed.
    ///
    /// ```
    /// let store = RedisDataCache(.init(address: .host("cache.internal", port: 6379), password: "secret"))
    /// let cache = TieredDataCache(local: DiskCache(), shared: store)
    /// ```
    public final class RedisDataCache: DataCaching {
        private let configuration: Configuration
        private let lanes: [Lane]
        private let state: Lock<State>

        /// A connection, and the queue that alone touches it.
        private struct Lane: Sendable {
            let queue: DispatchQueue
            let connection: RedisConnection
        }

        private struct State {
            var breaker: CircuitBreaker
            var nextLane = 0
            var hasWarned = false
            var statistics = Statistics()
        }

        /// Connects with the first command.
        public init(_ configuration: Configuration) {
            self.configuration = configuration
            state = Lock(State(breaker: configuration.breaker))
            lanes = (0..<configuration.connections).map { number in
                Lane(
                    queue: DispatchQueue(label: "calotype.redis.\(number)"),
                    connection: RedisConnection(configuration))
            }
        }

        public func entry(for key: DataKey) async throws -> DataEntry? {
            try Task.checkCancellation()
            let name = name(of: key)
            // Values of other kinds, or beyond the largest size, are cut short and do not check.
            let end = String(configuration.largestEntry)
            let found = try? await run { connection throws(RedisFailure) in
                try unsafe connection.command([.text("GETRANGE"), .text(name), .text("0"), .text(end)]) { reply in
                    unsafe reply.count > 0 ? SharedEntry.decode(reply, name: name) : nil
                }
            }
            state.withLock { if found ?? nil == nil { $0.statistics.misses += 1 } else { $0.statistics.hits += 1 } }
            return found ?? nil
        }

        /// Keeps an entry for the configured time; one that is larger than the configured size is not kept.
        public func store(_ entry: DataEntry, for key: DataKey) async throws {
            let name = name(of: key)
            guard let value = SharedEntry.encode(entry, name: name), value.count <= configuration.largestEntry else {
                // What the key had is out of date.
                try await removeEntry(for: key)
                return state.withLock { $0.statistics.lostStores += 1 }
            }
            let milliseconds = String(Int(min(configuration.timeToLive * 1000, 1e15)))
            let isStored: Bool? = try? await run { connection throws(RedisFailure) in
                try unsafe connection.command([.text("SET"), .text(name), .bytes(value), .text("PX"), .text(milliseconds)]) { _ in
                    true
                }
            }
            state.withLock { if isStored == nil { $0.statistics.lostStores += 1 } else { $0.statistics.stores += 1 } }
        }

        public func removeEntry(for key: DataKey) async throws {
            let name = name(of: key)
            _ = try? await run { connection throws(RedisFailure) in
                try unsafe connection.command([.text("UNLINK"), .text(name)]) { _ in true }
            }
        }

        /// Removes all values that begin with the prefix, a thousand at a time. Others may store meanwhile.
        ///
        /// - Throws: ``ImageError`` where the server could not be asked.
        public func removeAll() async throws {
            let pattern = configuration.prefix.map { "*?[]\\".contains($0) ? "\\\($0)" : "\($0)" }.joined() + "*"
            do {
                try await run { connection throws(RedisFailure) in
                    try connection.removeAll(matching: pattern)
                }
            } catch {
                throw ImageError(.cacheFailed, message: "The shared cache could not be cleared: \(error).")
            }
        }

        /// What the cache did since it was made.
        public var statistics: Statistics { state.withLock { $0.statistics } }

        private func name(of key: DataKey) -> String { configuration.prefix + key.digest }

        /// Runs commands on one of the connections, unless the server is to be left alone.
        private func run<R: Sendable>(
            _ body: @escaping @Sendable (RedisConnection) throws(RedisFailure) -> R
        ) async throws(RedisFailure) -> R {
            let lane = state.withLock { state in
                state.nextLane = (state.nextLane + 1) % lanes.count
                return lanes[state.nextLane]
            }
            let result: Result<R, RedisFailure> = await withCheckedContinuation { continuation in
                lane.queue.async { [self] in
                    // Decided only now: a command that waited behind one that failed need not fail too.
                    let decision = state.withLock { [now] in $0.breaker.decide(now: now) }
                    guard case .allow(let ticket) = decision else {
                        return continuation.resume(returning: .failure(.leftAlone))
                    }
                    do throws(RedisFailure) {
                        let value = try body(lane.connection)
                        state.withLock { [now] in $0.breaker.record(.success, of: ticket, now: now) }
                        continuation.resume(returning: .success(value))
                    } catch {
                        record(error, of: ticket)
                        continuation.resume(returning: .failure(error))
                    }
                }
            }
            return try result.get()
        }

        private var now: Duration { .seconds(configuration.now()) }

        private func record(_ failure: RedisFailure, of ticket: CircuitBreaker.Ticket) {
            let warns = state.withLock { [now] state in
                state.statistics.failures += 1
                state.breaker.record(.failure, of: ticket, now: now)
                let isOpen = state.breaker.isOpen
                defer { if isOpen { state.hasWarned = true } }
                return isOpen && !state.hasWarned
            }
            guard warns else { return }
            configuration.onWarning(
                "The shared cache at \(configuration.address) does not answer as it should: \(failure). Loads go on without it.")
        }
    }
#endif
