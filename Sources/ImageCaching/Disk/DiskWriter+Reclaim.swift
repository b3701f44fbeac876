internal import ImageCore

// Enforcing the limits. The caller holds the directory's lock.
extension DiskWriter {
    /// Evicts entries until the limits hold, and frees their space in the file system.
    func enforce(_ limits: DiskCache.Limits) throws(FileFailure) {
        let now = configuration.now()
        let evictions = state.withLock { $0.index.evictions(limits: limits, now: now) }
        let names = evictions.expired + evictions.leastUsed
        if !names.isEmpty {
            let before = state.withLock { ($0.index.entries.count, $0.statistics.evictions.overLimit) }
            try append(names.map { .remove($0) })
            state.withLock {
                $0.statistics.evictions.expired += evictions.expired.count
                // Includes evictions that freed space for the journal; some of those entries were to be removed anyway.
                $0.statistics.evictions.overLimit = before.1 + before.0 - $0.index.entries.count - evictions.expired.count
            }
            try dropEmptyPacks()
        }
        guard fileBytes > limits.maximumBytes else { return }
        // The active pack may be the one with unused bytes.
        closeActivePack()
        try dropEmptyPacks()
        // Free half of the share now, so that the next batch does not compact again.
        let goal = Int(Double(limits.maximumBytes) * (1 - limits.freedShare / 2))
        var tried: Set<UInt64> = []
        while fileBytes > goal, let pack = state.withLock({ $0.index.sparsestPack(except: tried) }) {
            tried.insert(pack)
            try copyAndDrop(pack)
            if let active { tried.insert(active.number) }
        }
    }

    private var fileBytes: Int { state.withLock { $0.index.fileBytes } }

    /// Removes packs without entries, except those that a process is writing to.
    func dropEmptyPacks() throws(FileFailure) {
        for number in state.withLock({ $0.index.emptyPacks }) where number != active?.number {
            if case .locked(let file) = lockPack(number) { try drop(number, file) }
        }
    }

    private enum PackLockResult {
        /// This process holds the lock and may remove the pack; the file is `nil` if it no longer exists.
        case locked(OpenFile?)
        /// A process is still writing to the pack.
        case busy
    }

    private func lockPack(_ number: UInt64) -> PackLockResult {
        guard let directory = packDirectory else { return .busy }
        do {
            let file = try files.openFile(PackHeader.fileName(number), in: directory, .existing)
            return try files.tryLock(file) ? .locked(file) : .busy
        } catch {
            return error.isMissing ? .locked(nil) : .busy
        }
    }

    /// Removes a pack while the disk is too full to write this to the journal; returns its number, or `nil` if there is no
    /// pack to remove. If the process ends before the journal is written, the journal lists a missing pack, which
    /// ``open()`` corrects.
    func evictPack(except kept: Set<UInt64>) -> UInt64? {
        if let active, !kept.contains(active.number) { closeActivePack() }
        for number in state.withLock({ $0.index.packsByUse }) where !kept.contains(number) {
            guard case .locked(let file?) = lockPack(number), let directory = packDirectory else { continue }
            // Truncate first: a removed file that another process has open keeps its bytes.
            guard (try? files.truncate(file, to: 0)) != nil else { continue }
            try? files.remove(PackHeader.fileName(number), in: directory)
            unsynced.removeAll { $0.name == PackHeader.fileName(number) }
            state.withLock { state in
                state.forgetPack(number)
                state.statistics.evictions.overLimit += state.index.packs[number]?.liveCount ?? 0
            }
            return number
        }
        return nil
    }

    /// Removes the file before its entry in the journal: if the process ends in between, ``open()`` corrects the journal.
    private func drop(_ number: UInt64, _ file: OpenFile?) throws(FileFailure) {
        if file != nil, let directory = packDirectory { try files.remove(PackHeader.fileName(number), in: directory) }
        unsynced.removeAll { $0.name == PackHeader.fileName(number) }
        try append([.dropPack(number)])
    }

    /// Copies the current entries of a pack to the active one and removes the pack. On a full disk, entries are lost instead.
    private func copyAndDrop(_ number: UInt64) throws(FileFailure) {
        guard case .locked(let file) = lockPack(number) else { return }
        guard let file else { return try append([.dropPack(number)]) }
        do {
            try copyLiveEntries(of: number, in: file)
        } catch {
            guard error.isOutOfRoom else { throw error }
            state.withLock { $0.statistics.evictions.overLimit += $0.index.packs[number]?.liveCount ?? 0 }
        }
        try drop(number, file)
    }

    private func copyLiveEntries(of number: UInt64, in file: OpenFile) throws(FileFailure) {
        var changes: [IndexChange] = []
        for (name, entry) in state.withLock({ $0.index.entries(in: number) }) {
            // Check the size before memory is allocated.
            guard entry.location.end <= file.status?.size ?? 0,
                var record = try? files.read(entry.location.length, from: file, at: entry.location.offset),
                unsafe record.withUnsafeBytes({ unsafe PackRecord.decode($0, name: name, location: entry.location) }) != nil
            else {
                changes.append(.remove(name))
                state.withLock { $0.statistics.evictions.damaged += 1 }
                continue
            }
            if !hasRoom(for: record.count, after: 0) { try beginPackLocked() }
            guard let active else { throw FileFailure(operation: "begin a pack", code: 0) }
            var location = entry.location
            (location.pack, location.offset) = (active.number, active.end)
            try appendToActivePack(&record)
            changes.append(.move(name, location))
        }
        // What was durable stays durable: sync the copies and their journal entries before the originals are removed.
        try syncPacks()
        try append(changes)
        if let journal = state.withLock({ $0.journal }) { try files.sync(journal) }
    }
}
