internal import ImageCore

internal import CalotypeSystem

extension FileFailure {
    /// Another process holds the directory's lock.
    static let lockHeld = FileFailure(operation: "lock the directory, which another process holds", code: EAGAIN)

    var isNameTaken: Bool { code == EEXIST }
    var isMissing: Bool { code == ENOENT }
    /// No room: the disk is full, or what this user may take of it.
    var isOutOfRoom: Bool { [ENOSPC, EDQUOT].contains(code) }
    /// The name is there, and is not the kind of file that it should be.
    var isWrongKind: Bool { [EINVAL, ELOOP, EISDIR, ENOTDIR, ENXIO, EMLINK].contains(code) }
}

// The journal and the lock that orders it.
extension DiskWriter {
    static let journalName = "journal"
    private static let newJournalName = "journal.new"
    /// The largest journal to read, in bytes; a full cache rewrites its own before.
    private static let largestJournal = 1 << 28
    /// Seconds to wait for another process, which may be waiting for a slow disk to sync.
    private static let lockPatience = 30.0
    /// Seconds to wait where a caller waits for it: to open the directory, to begin a pack for a body that comes in.
    static let shortLockPatience = 2.0

    /// Runs `body` while no other process changes the directory. A lock that was stuck before is not waited for again.
    func withDirectoryLock<R>(
        patience: Double = lockPatience, _ body: () throws(FileFailure) -> R
    ) throws(FileFailure) -> R {
        guard let lockFile else { throw .directoryLost }
        let patience = lockWait.isStuck ? LockWait.patience : patience
        var waited = 0.0
        while !(try files.tryLock(lockFile)) {
            guard waited < patience else { throw .lockHeld }
            // Short at first: others hold the lock for some tens of microseconds.
            let pause = min(0.002, 0.00002 + waited / 8)
            files.pause(seconds: pause)
            waited += pause
            if waited >= LockWait.patience { lockWait.giveUp() }
        }
        lockWait.end()
        defer { files.unlock(lockFile) }
        return try body()
    }

    /// Brings the index up to the end of the journal. Under the directory's lock, like all that follows.
    func catchUp() throws(FileFailure) {
        guard let (journal, end) = shared.lock.withLock({ state in state.journal.map { ($0, state.journalEnd) } }),
            let status = journal.status
        else { throw .directoryLost }
        if status.size != end {
            var isSealed = false
            let newEnd = try readChanges(from: journal, at: end, size: status.size) { change in
                changeCount += 1
                if change == .seal { isSealed = true }
                return shared.lock.withLock { state in
                    state.apply(change)
                    state.journalEnd += IndexChange.length
                    return state.index.isWithinBounds
                }
            }
            guard shared.lock.withLock({ $0.index.isWithinBounds }) else {
                throw FileFailure(operation: "read a journal of more entries than any cache writes", code: EFBIG)
            }
            // A change that ends in the middle is all that is left of a process that died: nobody else is writing now.
            if newEnd < status.size { try files.truncate(journal, to: newEnd) }
            if isSealed { return try reopenJournal() }
        }
        if status.links == 0 { throw .directoryLost }
    }

    /// Appends changes and applies them to the index; none of them where that fails. Where the disk is full, packs are given
    /// up until there is room.
    ///
    /// - Parameters:
    ///   - batch: what is settled in the same instant, so that no reader sees neither.
    ///   - lost: how many stores of the batch were not written.
    func append(_ changes: [IndexChange], settling batch: DiskState.Batch? = nil, lost: Int = 0) throws(FileFailure) {
        var given: [UInt64] = []
        while true {
            do {
                return try tryToAppend(given.map { .dropPack($0) } + changes, settling: batch, lost: lost)
            } catch {
                let kept = given + changes.compactMap(\.target)
                guard error.isOutOfRoom, changes.contains(where: \.isWorthAPack), let pack = giveUpPack(except: Set(kept))
                else { throw error }
                given.append(pack)
                report(error)
            }
        }
    }

    private func tryToAppend(_ changes: [IndexChange], settling batch: DiskState.Batch?, lost: Int) throws(FileFailure) {
        guard let (journal, end) = shared.lock.withLock({ state in state.journal.map { ($0, state.journalEnd) } }) else {
            throw .directoryLost
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(changes.count * IndexChange.length)
        for change in changes { change.encode(to: &bytes, at: end + bytes.count, epoch: header.epoch) }
        do {
            try writeAll(bytes, to: journal, at: end)
        } catch {
            // Part of it may be there; nobody may take it for more.
            try? files.truncate(journal, to: end)
            throw error
        }
        changeCount += changes.count
        shared.lock.withLock { state in
            for change in changes { state.apply(change) }
            state.journalEnd = end + bytes.count
            guard let batch else { return }
            state.settle(batch)
            state.statistics.lostStores += lost
            state.statistics.stores += batch.changes.count { $0.pending.entry != nil } - lost
        }
    }

    /// Hands over the whole changes from a position on, until `take` returns `false`; returns the end of the last one.
    private func readChanges(
        from journal: OpenFile, at start: Int, size: Int, take: (IndexChange) -> Bool
    ) throws(FileFailure) -> Int {
        guard size <= Self.largestJournal else { throw FileFailure(operation: "read a journal of \(size) bytes", code: EFBIG) }
        var end = start
        while end + IndexChange.length <= size {
            let count = min(1 << 20, (size - end) / IndexChange.length * IndexChange.length)
            let bytes = try files.read(count, from: journal, at: end)
            var at = 0
            let isWhole = unsafe bytes.withUnsafeBytes { bytes in
                while at + IndexChange.length <= bytes.count {
                    let slot = unsafe UnsafeRawBufferPointer(rebasing: bytes[at..<at + IndexChange.length])
                    guard let change = unsafe IndexChange.decode(slot, at: end + at, epoch: header.epoch) else { return false }
                    at += IndexChange.length
                    guard take(change) else { return false }
                }
                return bytes.count == count
            }
            end += at
            guard isWhole else { break }
        }
        return end
    }

    /// What opening a journal found.
    enum JournalOpening {
        case opened
        case missing
        /// Not a journal of this cache, or damaged at its head; why.
        case unusable(String)
    }

    /// Opens the journal by name and builds the index from it.
    func openJournal(in home: OpenFile) throws(FileFailure) -> JournalOpening {
        let journal: OpenFile
        do {
            journal = try files.openFile(Self.journalName, in: home, .existing)
        } catch {
            if error.isMissing { return .missing }
            if error.isWrongKind { return .unusable("its journal is no regular file") }
            throw error
        }
        let size = journal.status?.size ?? 0
        guard let found = JournalHeader(try files.read(JournalHeader.length, from: journal, at: 0)) else {
            return .unusable("its journal was not written by this version, or is damaged")
        }
        guard size <= Self.largestJournal else { return .unusable("its journal is larger than any that this cache writes") }
        header = found
        var index = DiskIndex()
        let end = try readChanges(from: journal, at: JournalHeader.length, size: size) { change in
            index.apply(change)
            return index.isWithinBounds
        }
        guard index.isWithinBounds, index.nextPack <= PackHeader.numberLimit else {
            return .unusable("its journal counts more files, entries or bytes than any cache writes")
        }
        if end < size { try files.truncate(journal, to: end) }
        changeCount = (end - JournalHeader.length) / IndexChange.length
        shared.lock.withLock { state in
            state.use(index, journal: journal, end: end, header: found)
        }
        return .opened
    }

    /// Goes over to the journal that took the place of this one.
    private func reopenJournal() throws(FileFailure) {
        guard let home = home.withLock({ $0 }), case .opened = try openJournal(in: home) else { throw .directoryLost }
    }

    /// Writes a first journal, or a shorter one in place of the one that is open, and puts it in place at once.
    func writeJournal(_ changes: [IndexChange], header new: JournalHeader, in home: OpenFile) throws(FileFailure) {
        do {
            try files.remove(Self.newJournalName, in: home)
        } catch {
            guard error.isMissing else { throw error }
        }
        let journal = try files.openFile(Self.newJournalName, in: home, .new)
        var bytes = new.encoded
        for change in changes { change.encode(to: &bytes, at: bytes.count, epoch: new.epoch) }
        do {
            try writeAll(bytes, to: journal, at: 0)
            try files.sync(journal)
            // Others notice that the old journal grew, and find the seal. If the process dies before the new one is in
            // place, they open the old one again and go on behind the seal.
            if shared.lock.withLock({ $0.journal }) != nil { try append([.seal]) }
        } catch {
            // It would only take room.
            try? files.remove(Self.newJournalName, in: home)
            throw error
        }
        try files.rename(Self.newJournalName, to: Self.journalName, in: home)
        try files.sync(home)
    }

    /// A journal that is mostly out of date is written anew; on a full disk, later.
    func rewriteJournalIfWorthwhile() throws(FileFailure) {
        let live = shared.lock.withLock { $0.index.entries.count + $0.index.packs.count }
        guard changeCount > 2 * live + 4096, let home = home.withLock({ $0 }) else { return }
        // Bytes that the old journal made durable stay so: the packs are synced before the new one names them.
        if let active { try files.sync(active.file) }
        for file in unsynced { try files.sync(file) }
        unsynced.removeAll()
        var new = header
        new.epoch = UInt64.random(in: .min ... .max)
        do {
            try writeJournal(shared.lock.withLock { $0.index.snapshot }, header: new, in: home)
        } catch {
            guard error.isOutOfRoom else { throw error }
            return report(error)
        }
        try reopenJournal()
    }
}
