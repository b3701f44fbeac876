#if Redis
    internal import Dispatch
    internal import ImageCaching
    public import ImageCore

    /// A data cache that several machines share: entries are values of a Redis server, or of one that speaks its
    /// protocol.
    ///
    /// Use it behind a local cache with ``TieredDataCache``. Each entry is one value with a time to live, under a
    /// prefix and a digest that does not reveal the URL; the server's limits and policy decide what it evicts. Every
    /// read is verified by a checksum; a damaged value is a miss.
    ///
    /// Failures of the server cost cache hits and never fail a load: each command has a time limit, and after a few
    /// failures requests are paused. A full server still serves the values that it has. No call blocks its thread:
    /// commands run on separate queues, one per connection. Only removals report failures; reads and stores throw only
    /// `CancellationError`.
    ///
    /// ```
    /// let store = RedisDataCache(.init(address: .host("cache.internal", port: 6379), password: "secret"))
    /// let cache = TieredDataCache(local: DiskCache(), shared: store)
    /// ```
    public final class RedisDataCache: DataCaching {
        private let configuration: Configuration
        private let connections: [RedisConnection]
        private let state: Lock<State>

        private struct State {
            var backoff: HostBackoff
            var nextConnection = 0
            var hasWarned = false
            var statistics = CacheStatistics(name: "shared")
        }

        /// Creates a cache that connects with the first command.
        ///
        /// - Parameter configuration: the address of the server, limits and timeouts.
        public init(_ configuration: Configuration) {
            self.configuration = configuration
            state = Lock(State(backoff: configuration.backoff))
            connections = (0..<configuration.connections).map { _ in RedisConnection(configuration) }
        }

        public func entry(for key: DataKey) async throws -> DataEntry? {
            try Task.checkCancellation()
            let name = name(of: key)
            // Values of other types are errors; larger ones are truncated, so their checksum does not match.
            let end = String(configuration.maximumEntryBytes)
            let found = try? await run { connection throws(RedisFailure) in
                try unsafe connection.command([.text("GETRANGE"), .text(name), .text("0"), .text(end)]) { reply in
                    unsafe reply.count > 0 ? SharedEntry.decode(reply, name: name) : nil
                }
            }
            state.withLock { if found ?? nil == nil { $0.statistics.misses += 1 } else { $0.statistics.hits += 1 } }
            return found ?? nil
        }

        /// Stores an entry for the configured time. An entry beyond the configured size is not stored, and the old one
        /// is removed.
        public func store(_ entry: DataEntry, for key: DataKey) async throws {
            let name = name(of: key)
            guard let value = SharedEntry.encode(entry, name: name), value.count <= configuration.maximumEntryBytes else {
                // The old entry is outdated.
                try? await removeEntry(for: key)
                return state.withLock { $0.statistics.refusals += 1 }
            }
            let milliseconds = String(Int(min(max(1, configuration.timeToLive / .milliseconds(1)), 1e15)))
            let isStored: Bool? = try? await run { connection throws(RedisFailure) in
                try unsafe connection.command([.text("SET"), .text(name), value, .text("PX"), .text(milliseconds)]) { _ in
                    true
                }
            }
            state.withLock { if isStored == nil { $0.statistics.refusals += 1 } else { $0.statistics.stores += 1 } }
        }

        /// Removes the entry of a key.
        ///
        /// - Throws: ``ImageError`` if the server does not confirm it; the entry may then remain.
        public func removeEntry(for key: DataKey) async throws {
            let name = name(of: key)
            try await removing { connection throws(RedisFailure) in
                try unsafe connection.command([.text("UNLINK"), .text(name)]) { _ in }
            }
        }

        /// Removes all entries with the source of a resource. Goes through all keys of the server, a thousand at a
        /// time.
        ///
        /// - Throws: ``ImageError`` if the server does not confirm it; entries may then remain.
        public func removeEntries(of resource: ResourceKey) async throws {
            try await removeAll(withPrefix: configuration.prefix + DataKey.digestPrefix(of: resource))
        }

        /// Removes all values under the prefix. Goes through all keys of the server, a thousand at a time. Other
        /// clients may store entries in the meantime.
        ///
        /// - Throws: ``ImageError`` if the server does not confirm it; entries may then remain.
        public func removeAll() async throws { try await removeAll(withPrefix: configuration.prefix) }

        private func removeAll(withPrefix prefix: String) async throws(ImageError) {
            let pattern = prefix.map { "*?[]\\".contains($0) ? "\\\($0)" : "\($0)" }.joined() + "*"
            try await removing { connection throws(RedisFailure) in try connection.removeAll(matching: pattern) }
        }

        private func removing(
            _ body: @escaping @Sendable (RedisConnection) throws(RedisFailure) -> Void
        ) async throws(ImageError) {
            do throws(RedisFailure) {
                try await run(body)
            } catch {
                throw ImageError(
                    .cacheFailed,
                    message: "Entries of the shared cache at \(configuration.address) could not be removed: \(error). Try again.")
            }
        }

        /// Counters of the operations of this cache since it was created. The server is not asked for its contents, so
        /// `count` and `byteCount` are 0. `failures` does not count commands that were not sent during a pause.
        public var statistics: CacheStatistics { state.withLock { $0.statistics } }

        public var cacheStatistics: [CacheStatistics] { [statistics] }

        private func name(of key: DataKey) -> String { configuration.prefix + key.digest }

        /// Runs commands on one of the connections, unless requests are paused.
        private func run<R: Sendable>(
            _ body: @escaping @Sendable (RedisConnection) throws(RedisFailure) -> R
        ) async throws(RedisFailure) -> R {
            let connection = state.withLock { state in
                state.nextConnection = (state.nextConnection + 1) % connections.count
                return connections[state.nextConnection]
            }
            let result: Result<R, RedisFailure> = await withCheckedContinuation { continuation in
                connection.queue.async { [self] in
                    // Decide here, since a command that waited behind it may have failed.
                    let sent = now
                    guard state.withLock({ $0.backoff.pause(at: sent) }) == nil else {
                        return continuation.resume(returning: .failure(.paused))
                    }
                    do throws(RedisFailure) {
                        let value = try body(connection)
                        state.withLock { [now] in $0.backoff.record(.success, sent: sent, now: now) }
                        continuation.resume(returning: .success(value))
                    } catch {
                        record(error, sent: sent)
                        continuation.resume(returning: .failure(error))
                    }
                }
            }
            return try result.get()
        }

        private var now: Duration { .seconds(configuration.now()) }

        private func record(_ failure: RedisFailure, sent: Duration) {
            let warns = state.withLock { [now] state in
                state.statistics.failures += 1
                state.backoff.record(failure.isOfWritesOnly ? .success : .failure, sent: sent, now: now)
                let isFailing = state.backoff.isFailing
                defer { if isFailing { state.hasWarned = true } }
                return isFailing && !state.hasWarned
            }
            guard warns else { return }
            configuration.onWarning(
                "The shared cache at \(configuration.address) failed repeatedly: \(failure). Loads continue without it. Check the server."
            )
        }
    }
#endif
