internal import ImageCore

// Listing and verifying the entries.
extension DiskCache {
    /// An entry of the directory. Its URL is not stored.
    public struct Item: Hashable, Sendable {
        /// The key's ``DataKey/digest``: 64 hexadecimal digits.
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
        get async { await contents().sorted { $0.lastUse > $1.lastUse }.map(\.item) }
    }

    private func contents() async -> [(name: EntryName, item: Item, lastUse: Double)] {
        await isOpen() ? await writer.contents() : []
    }

    /// Reads and checks every entry, and removes damaged ones. Does not count as a use.
    ///
    /// - Returns: the numbers of entries read and removed.
    /// - Throws: `CancellationError`.
    public func verify() async throws -> Verification {
        var result = Verification()
        for (name, item, _) in await contents() {
            try Task.checkCancellation()
            switch await read(name) {
            case .entry(let entry, _):
                result.count += 1
                result.byteCount += entry.data.count
            case .damaged(let written):
                removeInvalid(name, written: written)
                result.count += 1
                result.byteCount += item.byteCount
                result.damagedCount += 1
            case .missing, .wouldBlock: break
            }
        }
        await writer.drain()
        return result
    }
}

extension DiskWriter {
    /// The entries and their last uses, after writing all pending changes. An entry whose header is damaged has a body
    /// of 0 bytes.
    func contents() -> [(name: EntryName, item: DiskCache.Item, lastUse: Double)] {
        finish()
        var found: [(name: EntryName, item: DiskCache.Item, lastUse: Double)] = []
        guard let home = try? openHome() else { return [] }
        try? forEachEntry(in: home) { name, folder throws(FileFailure) in
            let file = try OpenFile(opening: name.fileName, in: folder, flags: OpenFile.readFlags)
            guard let status = file.status, status.isOwnFile else { return }
            let entry = EntryFile(file.start(EntryFile.headerLength), name: name, fileSize: status.size)
            let item = DiskCache.Item(name: name.text, byteCount: entry?.bodyLength ?? 0, writtenAt: status.times.written)
            found.append((name, item, status.times.lastUse))
        }
        return found
    }
}
