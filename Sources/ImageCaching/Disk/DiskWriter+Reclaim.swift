internal import ImageCore

// Keeping the limits. All of it under the directory's lock.
extension DiskWriter {
    /// Evicts what the limits demand and gives the room back to the file system.
    func enforce(_ limits: DiskCache.Limits) throws(FileFailure) {
        let now = configuration.now()
        let evictions = shared.lock.withLock { $0.index.evictions(limits: limits, now: now) }
        let names = evictions.expired + evictions.leastUsed
        if !names.isEmpty {
            let before = shared.lock.withLock { ($0.index.entries.count, $0.statistics.evictions) }
            try append(names.map { .remove($0) })
            shared.lock.withLock {
                $0.statistics.expirations += evictions.expired.count
                // Those included that were given up for the journal, some of which are in both.
                $0.statistics.evictions = before.1 + before.0 - $0.index.entries.count - evictions.expired.count
            }
            try dropEmptyPacks()
        }
        guard fileBytes > limits.bytes else { return }
        // The pack being written may be what holds the dead bytes.
        retireActivePack()
        try dropEmptyPacks()
        // Half of the freed share is given back now; else the next batch would bring the next copy.
        let goal = Int(Double(limits.bytes) * (1 - limits.freedShare / 2))
        var tried: Set<UInt64> = []
        while fileBytes > goal, let pack = shared.lock.withLock({ $0.index.sparsestPack(except: tried) }) {
            tried.insert(pack)
            try copyAndDrop(pack)
            if let active { tried.insert(active.number) }
        }
    }

    private var fileBytes: Int { shared.lock.withLock { $0.index.fileBytes } }

    /// Removes the packs that no entry points into, except those that some process still writes to.
    func dropEmptyPacks() throws(FileFailure) {
        for number in shared.lock.withLock({ $0.index.emptyPacks }) where number != active?.number {
            if case .taken(let file) = take(number) { try drop(number, file) }
        }
    }

    private enum Taking {
        /// Ours to remove; without a file where there is none any more.
        case taken(OpenFile?)
        /// Some process still writes to it.
        case busy
    }

    private func take(_ number: UInt64) -> Taking {
        guard let home = home.withLock({ $0 }) else { return .busy }
        do {
            let file = try files.openFile(PackHeader.fileName(number), in: home, .existing)
            return try files.tryLock(file) ? .taken(file) : .busy
        } catch {
            return error.isMissing ? .taken(nil) : .busy
        }
    }

    /// Gives the room of a pack back where the disk is so full that the journal cannot even say that it is gone, and
    /// returns its number; `nil` where there is none to give. A process that dies before the journal says so leaves a name
    /// in it that opening notices.
    func giveUpPack(except kept: Set<UInt64>) -> UInt64? {
        if let active, !kept.contains(active.number) { retireActivePack() }
        for number in shared.lock.withLock({ $0.index.packsByUse }) where !kept.contains(number) {
            guard case .taken(let file?) = take(number), let home = home.withLock({ $0 }) else { continue }
            // A file that some process has open keeps its bytes though its name is gone: so they go first.
            guard (try? files.truncate(file, to: 0)) != nil else { continue }
            try? files.remove(PackHeader.fileName(number), in: home)
            unsynced.removeAll { $0.name == PackHeader.fileName(number) }
            shared.lock.withLock { state in
                state.forgetPack(number)
                state.statistics.evictions += state.index.packs[number]?.liveCount ?? 0
            }
            return number
        }
        return nil
    }

    /// The file goes first: a process that dies in between leaves a name in the journal that opening notices.
    private func drop(_ number: UInt64, _ file: OpenFile?) throws(FileFailure) {
        if file != nil, let home = home.withLock({ $0 }) { try files.remove(PackHeader.fileName(number), in: home) }
        unsynced.removeAll { $0.name == PackHeader.fileName(number) }
        try append([.dropPack(number)])
    }

    /// Copies what is alive in a pack to the active one and removes the pack. What a full disk has no room for is not copied.
    private func copyAndDrop(_ number: UInt64) throws(FileFailure) {
        guard case .taken(let file) = take(number) else { return }
        guard let file else { return try append([.dropPack(number)]) }
        do {
            try copyLiveEntries(of: number, in: file)
        } catch {
            guard error.isOutOfRoom else { throw error }
            shared.lock.withLock { $0.statistics.evictions += $0.index.packs[number]?.liveCount ?? 0 }
        }
        try drop(number, file)
    }

    private func copyLiveEntries(of number: UInt64, in file: OpenFile) throws(FileFailure) {
        var changes: [IndexChange] = []
        for (name, entry) in shared.lock.withLock({ $0.index.entries(in: number) }) {
            guard case .entry(let content) = file.entry(named: name, at: entry.location, waits: true) else {
                changes.append(.remove(name))
                shared.lock.withLock { $0.statistics.damages += 1 }
                continue
            }
            var record = try files.read(
                PackRecord.headerLength + entry.location.headLength, from: file, at: entry.location.offset)
            record.append(contentsOf: content.data)
            if !hasRoom(for: record.count, after: 0) { try beginPackLocked() }
            guard let active else { throw FileFailure(operation: "begin a pack", code: 0) }
            var location = entry.location
            (location.pack, location.offset) = (active.number, active.end)
            try appendToActivePack(&record)
            changes.append(.move(name, location))
        }
        // What was durable stays so: the copies are, and the journal knows them, before the originals go.
        if let active { try files.sync(active.file) }
        for file in unsynced { try files.sync(file) }
        unsynced.removeAll()
        try append(changes)
        if let journal = shared.lock.withLock({ $0.journal }) { try files.sync(journal) }
    }
}
