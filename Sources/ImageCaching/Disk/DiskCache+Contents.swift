internal import ImageCore

// Looking at what is there.
extension DiskCache {
    /// An entry as the index has it. What it is an entry of is not written anywhere.
    public struct Item: Hashable, Sendable {
        /// 32 hexadecimal digits.
        public var name: String
        /// Bytes of the body.
        public var byteCount: Int
        /// When it was stored, in seconds since 1970.
        public var writtenAt: Double
    }

    /// What ``verify()`` found.
    public struct Verification: Hashable, Sendable {
        /// Entries that were read.
        public var count = 0
        /// Bytes of their bodies.
        public var byteCount = 0
        /// Entries that were damaged, and are removed.
        public var damagedCount = 0

        public init() {}
    }

    /// All entries, the most recently used first. Does not count as a use.
    public var items: [Item] {
        get async {
            guard await isOpen() else { return [] }
            await writer.drain()
            await writer.refresh()
            return shared.lock.withLock { $0.index.entries }.sorted { $0.value.lastUse > $1.value.lastUse }.map { name, entry in
                Item(name: name.text, byteCount: entry.location.bodyLength, writtenAt: entry.writtenAt)
            }
        }
    }

    /// Reads every entry, checks it, and removes those that are damaged. Does not count as a use.
    ///
    /// - Throws: `CancellationError`; ``ImageError`` where another process holds the directory's lock.
    public func verify() async throws -> Verification {
        var result = Verification()
        guard await isOpen() else { return result }
        await writer.drain()
        guard await writer.refresh() else { throw lockedError }
        for (name, entry) in shared.lock.withLock({ $0.index.entries }) {
            try Task.checkCancellation()
            let damages = shared.lock.withLock { $0.statistics.damages }
            if let found = await self.entry(named: name) {
                result.count += 1
                result.byteCount += found.data.count
            } else if shared.lock.withLock({ $0.statistics.damages }) > damages {
                result.count += 1
                result.byteCount += entry.location.bodyLength
                result.damagedCount += 1
            }
        }
        await writer.drain()
        return result
    }
}
