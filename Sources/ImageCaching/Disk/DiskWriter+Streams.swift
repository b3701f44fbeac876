internal import HTTPTypes
internal import ImageCore

// Bodies from streams. Each is written to its own pack, while other stores continue: the record's header is written after the
// body, and the entry is journaled last. A process that ends before leaves a pack without a lock, which the next opening removes.
extension DiskWriter {
    /// A body from a stream, while it is written.
    struct IncomingBody {
        fileprivate var pack: ActivePack
        fileprivate let name: EntryName
        fileprivate let head: [UInt8]
        fileprivate let storedAt: Double
        fileprivate var checksum = Checksum()
        fileprivate var bodyLength = 0

        fileprivate var location: PackLocation {
            PackLocation(pack: pack.number, offset: PackHeader.length, headLength: head.count, bodyLength: bodyLength)
        }
    }

    /// Stores an entry whose body is a stream. If the stream throws, the old entry stays.
    func store(_ stream: DataEntryStream, named name: EntryName) async throws {
        guard let head = ResponseHeaderCoding.encode(stream.head) else { return lose(name) }
        var incoming: IncomingBody
        do throws(FileFailure) {
            incoming = IncomingBody(pack: try makePack(), name: name, head: head, storedAt: stream.storedAt)
        } catch {
            report(error)
            return lose(name)
        }
        do {
            for try await chunk in stream.body {
                guard incoming.location.end + chunk.count <= configuration.limits.maximumBytes else {
                    abandon(incoming)
                    return lose(name)
                }
                try write(chunk, to: &incoming)
            }
            // A stream may also end because its reader was cancelled.
            try Task.checkCancellation()
            try finish(incoming)
        } catch let failure as FileFailure {
            abandon(incoming)
            report(failure)
            lose(name)
        } catch {
            abandon(incoming)
            throw error
        }
    }

    private func makePack() throws(FileFailure) -> ActivePack {
        try withDirectoryLock(timeout: Self.shortLockTimeout) { () throws(FileFailure) in try makePackLocked() }
    }

    private func write(_ chunk: Data, to incoming: inout IncomingBody) throws {
        let offset = incoming.location.end
        try unsafe chunk.withUnsafeBytes { bytes in
            unsafe incoming.checksum.append(bytes)
            try unsafe files.write(bytes, to: incoming.pack.file, at: offset)
        }
        incoming.bodyLength += chunk.count
    }

    private func finish(_ incoming: IncomingBody) throws(FileFailure) {
        let prefix = PackRecord.prefix(
            name: incoming.name, head: incoming.head, bodyLength: incoming.bodyLength, bodyChecksum: incoming.checksum.value,
            storedAt: incoming.storedAt)
        try writeAll(prefix, to: incoming.pack.file, at: PackHeader.length)
        // Changes requested before this one are journaled first.
        drain()
        let now = configuration.now()
        try withDirectoryLock { () throws(FileFailure) in
            try append([.put(incoming.name, incoming.location, writtenAt: now)])
            unsynced.append(incoming.pack.file)
            files.unlock(incoming.pack.file)
            state.withLock { $0.statistics.stores += 1 }
            enforceLimits()
        }
    }

    /// Removes the pack of a body that is not stored.
    private func abandon(_ incoming: IncomingBody) {
        guard let directory = packDirectory, state.withLock({ $0.index.packs[incoming.pack.number] }) == nil else {
            return
        }
        try? files.remove(incoming.pack.file.name, in: directory)
        files.unlock(incoming.pack.file)
    }

    /// Counts a lost store and removes the old entry, which is outdated.
    private func lose(_ name: EntryName) {
        _ = state.withLock { state in
            state.statistics.refusals += 1
            return state.enqueue(nil, for: name, at: 0)
        }
        drain()
    }
}
