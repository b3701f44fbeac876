internal import ImageCore

// Listing and verifying the entries.
extension DiskCache {
    /// An entry in the index. Its URL is not stored.
    public struct Item: Hashable, Sendable {
        /// 32 hexadecimal digits.
        public var name: String
        /// Bytes of the body.
        public var byteCount: Int
        /// When the entry was stored, in seconds since 1970.
        public var writtenAt: Double
    }

    /// The result of ``verify()``.
    public struct Verification: Hashable, Sendable {
        /// The number of entries that were read.
        public var count = 0
        /// Bytes of their bodies.
        public var byteCount = 0
        /// The number of entries that were damaged and are now removed.
        public var damagedCount = 0

        /// Creates a result of zeros.
        public init() {}
    }

    /// All entries, the most recently used first. Listing does not count as a use.
    public var items: [Item] {
        get async {
            guard await isOpen() else { return [] }
            await writer.drain()
            await writer.refresh()
            return writer.state.withLock { $0.index.entries }.sorted { $0.value.lastUse > $1.value.lastUse }.map { name, entry in
                Item(name: name.text, byteCount: entry.location.bodyLength, writtenAt: entry.writtenAt)
            }
        }
    }

    /// Reads and checks every entry, and removes damaged ones. Does not count as a use.
    ///
    /// - Returns: the numbers of entries read and removed.
    /// - Throws: `CancellationError`; ``ImageError`` if another process holds the lock of the directory.
    public func verify() async throws -> Verification {
        var result = Verification()
        guard await isOpen() else { return result }
        await writer.drain()
        guard await writer.refresh() else { throw lockedError }
        for (name, entry) in writer.state.withLock({ $0.index.entries }) {
            try Task.checkCancellation()
            let damages = writer.state.withLock { $0.statistics.evictions.damaged }
            if let found = await self.entry(named: name) {
                result.count += 1
                result.byteCount += found.data.count
            } else if writer.state.withLock({ $0.statistics.evictions.damaged }) > damages {
                result.count += 1
                result.byteCount += entry.location.bodyLength
                result.damagedCount += 1
            }
        }
        await writer.drain()
        return result
    }
}
