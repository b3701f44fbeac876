internal import Dispatch
public import ImageCore

// Bodies as streams.
extension DiskCache {
    /// Bodies of at least this many bytes are read in chunks; smaller ones at once.
    private static let minimumStreamedBytes = 1 << 20

    /// The stored entry with its body as a stream, counted as a use; `nil` for a miss.
    ///
    /// A large body is read in chunks and never held in memory as a whole. Damage is detected at its end: the stream then throws
    /// ``ImageError`` in place of its last chunk, and the entry is removed.
    ///
    /// - Throws: only `CancellationError`.
    public func stream(for key: DataKey) async throws -> DataEntryStream? {
        if let (name, location, file) = await largeBody(for: key), let found = await open(name, at: location, in: file) {
            return found
        }
        return try await entry(for: key).map { DataEntryStream(body: ByteStream($0.data), head: $0.head, storedAt: $0.storedAt) }
    }

    /// Stores an entry whose body is a stream, replacing the entry of the key. Returns once the entry can be read. If the body
    /// exceeds the limit, nothing is stored and the old entry is removed.
    ///
    /// - Throws: the error of the stream, or `CancellationError`; the old entry then stays.
    public func store(_ stream: DataEntryStream, for key: DataKey) async throws {
        if let whole = stream.body.wholeData {
            return try await store(DataEntry(data: whole, head: stream.head, storedAt: stream.storedAt), for: key)
        }
        guard let name = await openedName(of: key) else { return }
        try await writer.store(stream, named: name)
    }

    /// The location of an entry with a large body that is on disk already; `nil` for any other.
    private func largeBody(for key: DataKey) async -> (EntryName, PackLocation, OpenFile?)? {
        guard let name = await openedName(of: key) else { return nil }
        guard await isUpToDate() else { return nil }
        let now = configuration.now()
        guard
            case .stored(let location, let file) = writer.state.withLock({
                $0.lookUp(name, limits: configuration.limits, now: now)
            }),
            location.bodyLength >= Self.minimumStreamedBytes
        else { return nil }
        return (name, location, file)
    }

    /// Opens the entry at a location; `nil` if the start of the record is wrong. ``entry(for:)`` then finds out why.
    private func open(_ name: EntryName, at location: PackLocation, in known: OpenFile?) async -> DataEntryStream? {
        let opened = await withCheckedContinuation { continuation in
            readers.async { [self] in continuation.resume(returning: prefix(of: name, at: location, in: known)) }
        }
        guard let (file, prefix) = opened, let head = unsafe prefix.withUnsafeBytes({ unsafe PackRecord.unchecked(prefix: $0) })
        else { return nil }
        count(name, isHit: true)
        let reader = BodyReader(file, name: name, location: location, prefix: prefix, queue: readers) { [weak self] in
            guard let self, writer.state.withLock({ $0.enqueueRemoval(ofDamaged: name, at: location) }) else { return }
            wakeWriter()
        }
        return DataEntryStream(body: ByteStream { try await reader.next() }, head: head.head, storedAt: head.storedAt)
    }

    private func prefix(of name: EntryName, at location: PackLocation, in known: OpenFile?) -> (OpenFile, [UInt8])? {
        guard let file = known ?? writer.openPack(location.pack), location.end <= file.status?.size ?? 0 else { return nil }
        writer.state.withLock { $0.keepOpen(file, pack: location.pack) }
        guard let prefix = try? writer.files.read(location.prefixLength, from: file, at: location.offset),
            unsafe prefix.withUnsafeBytes({ unsafe PackRecord.isPlausible(prefix: $0, name: name, location: location) })
        else { return nil }
        return (file, prefix)
    }
}
