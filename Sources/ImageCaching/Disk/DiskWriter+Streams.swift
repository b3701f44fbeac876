internal import HTTPTypes
internal import ImageCore

// Bodies that come piece by piece. Each is written to a pack of its own, while others go on: the head is written when the
// body has ended, and only then is the entry in the journal. A process that dies before leaves a pack that nobody holds.
extension DiskWriter {
    /// A body that is being written.
    struct Intake {
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

    /// Keeps an entry whose body is a stream. A stream that throws leaves everything as it was.
    func store(_ stream: DataEntryStream, named name: EntryName) async throws {
        guard let head = StoredResponseHead.encode(stream.head) else { return lose(name) }
        var intake: Intake
        do throws(FileFailure) {
            intake = Intake(pack: try makePack(), name: name, head: head, storedAt: stream.storedAt)
        } catch {
            report(error)
            return lose(name)
        }
        do {
            for try await chunk in stream.body {
                guard intake.location.end + chunk.count <= configuration.limits.bytes else {
                    abandon(intake)
                    return lose(name)
                }
                try write(chunk, to: &intake)
            }
            // Also a stream that ends because its reader was cancelled.
            try Task.checkCancellation()
            try finish(intake)
        } catch let failure as FileFailure {
            abandon(intake)
            report(failure)
            lose(name)
        } catch {
            abandon(intake)
            throw error
        }
    }

    private func makePack() throws(FileFailure) -> ActivePack {
        try withDirectoryLock(patience: Self.shortLockPatience) { () throws(FileFailure) in
            try catchUp()
            return try makePackLocked()
        }
    }

    private func write(_ chunk: Data, to intake: inout Intake) throws {
        let offset = intake.location.end
        try unsafe chunk.withUnsafeBytes { bytes in
            unsafe intake.checksum.append(bytes)
            try unsafe files.write(bytes, to: intake.pack.file, at: offset)
        }
        intake.bodyLength += chunk.count
    }

    private func finish(_ intake: Intake) throws(FileFailure) {
        let prefix = PackRecord.prefix(
            name: intake.name, head: intake.head, bodyLength: intake.bodyLength, bodyChecksum: intake.checksum.value,
            storedAt: intake.storedAt)
        try writeAll(prefix, to: intake.pack.file, at: PackHeader.length)
        // What was asked for before this comes before it.
        drain()
        let now = configuration.now()
        try withDirectoryLock { () throws(FileFailure) in
            try catchUp()
            try append([.put(intake.name, intake.location, writtenAt: now)])
            unsynced.append(intake.pack.file)
            files.unlock(intake.pack.file)
            shared.lock.withLock { $0.statistics.stores += 1 }
            tidy()
        }
    }

    /// Gives back the pack of a body that is not kept.
    private func abandon(_ intake: Intake) {
        guard let home = home.withLock({ $0 }), shared.lock.withLock({ $0.index.packs[intake.pack.number] }) == nil else {
            return
        }
        try? files.remove(intake.pack.file.name, in: home)
        files.unlock(intake.pack.file)
    }

    /// The entry could not be kept, and what its name had before is out of date.
    private func lose(_ name: EntryName) {
        _ = shared.lock.withLock { state in
            state.statistics.lostStores += 1
            return state.enqueue(nil, for: name, at: 0)
        }
        drain()
    }
}
