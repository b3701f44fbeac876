internal import ImageCore

// Writing bodies to packs.
extension DiskWriter {
    /// The size of a full pack: a thirty-second of the limit and at most 8 MB, so that compacting one costs little.
    private var packSize: Int { min(max(configuration.limits.maximumBytes / 32, 4096), 8 << 20) }

    /// Larger bodies are written directly; smaller ones are collected in one buffer first.
    private static let maximumGatheredBytes = 1 << 18

    /// Writes the bodies of a batch and appends the changes for the journal to `result`, up to the first failure. Counts entries
    /// that exceed the limit as lost.
    func writeBodies(
        of changes: [(name: EntryName, pending: DiskState.Pending)], to result: inout [IndexChange], lost: inout Int
    ) throws(FileFailure) {
        result.reserveCapacity(changes.count)
        var gathered: [UInt8] = []
        for (name, pending) in changes {
            guard let entry = pending.entry else {
                result.append(.remove(name))
                continue
            }
            let head = ResponseHeaderCoding.encode(entry.head) ?? []
            let length = PackRecord.headerLength + head.count + entry.data.count
            guard !head.isEmpty, length + PackHeader.length <= configuration.limits.maximumBytes else {
                lost += 1
                result.append(.remove(name))
                continue
            }
            let prefix = PackRecord.prefix(name: name, head: head, body: entry.data, storedAt: entry.storedAt)
            let isLarge = entry.data.count > Self.maximumGatheredBytes
            if isLarge || !hasRoom(for: length, after: gathered.count) {
                try appendToActivePack(&gathered)
                if !hasRoom(for: length, after: 0) { try beginPack() }
            }
            guard var pack = active else { throw FileFailure(operation: "begin a pack", code: 0) }
            let location = PackLocation(
                pack: pack.number, offset: pack.end + gathered.count, headLength: head.count, bodyLength: entry.data.count)
            if isLarge {
                try write(prefix, entry.data, to: pack)
                pack.end = location.end
                active = pack
            } else {
                gathered.append(contentsOf: prefix)
                gathered.append(contentsOf: entry.data)
            }
            result.append(.put(name, location, writtenAt: pending.time))
        }
        try appendToActivePack(&gathered)
    }

    func hasRoom(for length: Int, after gathered: Int) -> Bool {
        guard let active else { return false }
        return active.end + gathered == PackHeader.length || active.end + gathered + length <= packSize
    }

    private func write(_ prefix: [UInt8], _ body: Data, to pack: ActivePack) throws(FileFailure) {
        try writeAll(prefix, to: pack.file, at: pack.end)
        let offset = pack.end + prefix.count
        try unsafe body.withUnsafeBytes { unsafe result(of: $0, to: pack.file, at: offset) }.get()
    }

    func writeAll(_ bytes: [UInt8], to file: OpenFile, at offset: Int) throws(FileFailure) {
        try unsafe bytes.withUnsafeBytes { unsafe result(of: $0, to: file, at: offset) }.get()
    }

    /// Returns a result, since the standard library's `withUnsafeBytes` does not rethrow typed errors.
    private func result(of bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int) -> Result<Void, FileFailure> {
        do { return .success(unsafe try files.write(bytes, to: file, at: offset)) } catch { return .failure(error) }
    }

    /// Writes gathered records and empties the buffer.
    func appendToActivePack(_ gathered: inout [UInt8]) throws(FileFailure) {
        guard !gathered.isEmpty, let pack = active else { return }
        try writeAll(gathered, to: pack.file, at: pack.end)
        active?.end += gathered.count
        gathered.removeAll(keepingCapacity: true)
    }

    private func beginPack() throws(FileFailure) {
        try withDirectoryLock { () throws(FileFailure) in try beginPackLocked() }
    }

    /// Closes the active pack, creates another and takes its lock. The caller holds the directory's lock, so that no process
    /// removes the file as abandoned before its lock is taken.
    func beginPackLocked() throws(FileFailure) {
        closeActivePack()
        guard let directory = packDirectory else { throw .directoryLost }
        var number = state.withLock { $0.index.nextPack }
        for _ in 0..<1_000 {
            defer { number += 1 }
            let file: OpenFile
            do {
                file = try files.openFile(PackHeader.fileName(number), in: directory, .new)
            } catch {
                guard error.isNameTaken else { throw error }
                continue
            }
            do {
                _ = try files.tryLock(file)
                try writeAll(PackHeader.encode(directory: header.directory, pack: number), to: file, at: 0)
                // The journal reserves the number before the pack is used, so that no other pack gets it.
                try append([.packFloor(number + 1)])
            } catch {
                // Otherwise every store on a full disk would leave a file.
                try? files.remove(PackHeader.fileName(number), in: directory)
                throw error
            }
            hasUnsyncedNames = true
            active = ActivePack(number: number, file: file, end: PackHeader.length)
            return
        }
        throw FileFailure(operation: "find a free name for a pack", code: 0)
    }

    /// Stops writing to the active pack and releases its lock, so that it can be removed.
    func closeActivePack() {
        guard let pack = active else { return }
        files.unlock(pack.file)
        unsynced.append(pack.file)
        active = nil
    }

    /// Closes the active pack and truncates the packs to what the journal knows: removes the bodies of changes that were not
    /// journaled.
    func discardBodies(writtenFor changes: [IndexChange]) {
        let numbers = Set(changes.compactMap(\.target) + [active?.number].compactMap { $0 })
        closeActivePack()
        guard let directory = packDirectory else { return }
        for number in numbers {
            let name = PackHeader.fileName(number)
            if let end = state.withLock({ $0.index.packs[number]?.end }) {
                guard let file = try? files.openFile(name, in: directory, .existing) else { continue }
                try? files.truncate(file, to: end)
            } else {
                try? files.remove(name, in: directory)
                unsynced.removeAll { $0.name == name }
            }
        }
    }

    /// Opens a pack for reading; `nil` if there is no file of that number that belongs to this directory.
    nonisolated func openPack(_ number: UInt64) -> OpenFile? {
        guard let folder = packDirectory, let file = try? files.openFile(PackHeader.fileName(number), in: folder, .existing),
            let directory = state.withLock({ $0.directory }),
            (try? files.read(PackHeader.length, from: file, at: 0)) == PackHeader.encode(directory: directory, pack: number)
        else { return nil }
        return file
    }
}
