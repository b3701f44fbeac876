internal import ImageCore

internal import CalotypeSystem

extension FileFailure {
    /// Another process holds the directory's lock.
    static let lockHeld = FileFailure(operation: "lock the directory, which another process holds", code: EAGAIN)

    var isNameTaken: Bool { code == EEXIST }
    var isMissing: Bool { code == ENOENT }
    /// The disk is full, or the user's quota is used up.
    var isOutOfRoom: Bool { [ENOSPC, EDQUOT].contains(code) }
    /// The name exists, but is not the expected kind of file.
    var isWrongKind: Bool { [EINVAL, ELOOP, EISDIR, ENOTDIR, ENXIO, EMLINK].contains(code) }
}

// The journal, and the lock that protects it.
extension DiskWriter {
    static let journalName = "journal"
    static let newJournalName = "journal.new"
    /// A larger journal is rejected; a full cache rewrites its own journal before it reaches this size.
    private static let maximumJournalBytes = 1 << 28
    /// Seconds to wait for the lock; another process may hold it while a slow disk syncs.
    private static let lockTimeout = 30.0
    /// Seconds to wait for the lock while a caller waits.
    static let shortLockTimeout = 2.0

    /// Runs `body` while no other process changes the directory, with an index that is up to date.
    func withDirectoryLock<R>(_ body: () throws(FileFailure) -> R) throws(FileFailure) -> R {
        try lockingDirectory(timeout: Self.lockTimeout) { () throws(FileFailure) -> R in
            try catchUp()
            return try body()
        }
    }

    /// Runs `body` with the directory's lock. Does not wait again for a lock that already counts as stuck.
    func lockingDirectory<R>(
        timeout: Double, _ body: () throws(FileFailure) -> R
    ) throws(FileFailure) -> R {
        guard let lockFile else { throw .directoryLost }
        let timeout = lockWait.isStuck ? LockWait.loadTimeout : timeout
        var waited = 0.0
        while !(try files.tryLock(lockFile)) {
            guard waited < timeout else { throw .lockHeld }
            // Other processes usually hold the lock for microseconds.
            let pause = min(0.002, 0.00002 + waited / 8)
            files.pause(seconds: pause)
            waited += pause
            if waited >= LockWait.loadTimeout { lockWait.markStuck() }
        }
        lockWait.markAcquired()
        defer { files.unlock(lockFile) }
        return try body()
    }

    /// Reads the journal up to its end. The caller holds the directory's lock, here and in all that follows.
    private func catchUp() throws(FileFailure) {
        guard let (journal, end) = state.withLock({ state in state.journal.map { ($0, state.journalEnd) } }),
            let status = journal.status
        else { throw .directoryLost }
        if status.size != end {
            var isSealed = false
            let newEnd = try readChanges(from: journal, at: end, size: status.size) { change in
                changeCount += 1
                if change == .seal { isSealed = true }
                return state.withLock { state in
                    state.apply(change)
                    state.journalEnd += IndexChange.length
                    return state.index.isWithinBounds
                }
            }
            guard state.withLock({ $0.index.isWithinBounds }) else {
                throw FileFailure(operation: "read a journal with too many entries", code: EFBIG)
            }
            // An incomplete change comes from a process that ended while it wrote; no process is writing now.
            if newEnd < status.size { try files.truncate(journal, to: newEnd) }
            if isSealed { return try reopenJournal() }
        }
        if status.links == 0 { throw .directoryLost }
    }

    /// Appends changes and applies them to the index; applies none if that fails. If the disk is full, evicts packs until there
    /// is space.
    ///
    /// - Parameters:
    ///   - batch: the pending changes that end at the same time, so that readers see the old or the new state.
    ///   - lost: how many stores of the batch were not written.
    func append(_ changes: [IndexChange], settling batch: DiskState.WriteBatch? = nil, lost: Int = 0) throws(FileFailure) {
        var given: [UInt64] = []
        while true {
            do {
                return try tryToAppend(given.map { .dropPack($0) } + changes, settling: batch, lost: lost)
            } catch {
                let kept = given + changes.compactMap(\.target)
                guard error.isOutOfRoom, changes.contains(where: \.mayEvictWhenDiskFull), let pack = evictPack(except: Set(kept))
                else { throw error }
                given.append(pack)
                report(error)
            }
        }
    }

    private func tryToAppend(_ changes: [IndexChange], settling batch: DiskState.WriteBatch?, lost: Int) throws(FileFailure) {
        guard let (journal, end) = state.withLock({ state in state.journal.map { ($0, state.journalEnd) } }) else {
            throw .directoryLost
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(changes.count * IndexChange.length)
        for change in changes { change.encode(to: &bytes, at: end + bytes.count, epoch: header.epoch) }
        do {
            try writeAll(bytes, to: journal, at: end)
        } catch {
            // Remove what was written of the changes.
            try? files.truncate(journal, to: end)
            throw error
        }
        changeCount += changes.count
        state.withLock { state in
            for change in changes { state.apply(change) }
            state.journalEnd = end + bytes.count
            guard let batch else { return }
            state.settle(batch)
            state.statistics.refusals += lost
            state.statistics.stores += batch.changes.count { $0.pending.entry != nil } - lost
        }
    }

    /// Passes complete changes to `take`, from a position on, until it returns `false`; returns the end of the last one.
    private func readChanges(
        from journal: OpenFile, at start: Int, size: Int, take: (IndexChange) -> Bool
    ) throws(FileFailure) -> Int {
        guard size <= Self.maximumJournalBytes else {
            throw FileFailure(operation: "read a journal of \(size) bytes", code: EFBIG)
        }
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

    /// The result of opening a journal.
    enum JournalOpening {
        case opened
        case missing
        /// Not a journal of this version, or its header is damaged; a clause that says why.
        case unusable(String)
    }

    /// Opens the journal by name and builds the index from it.
    func openJournal(in directory: OpenFile) throws(FileFailure) -> JournalOpening {
        let journal: OpenFile
        do {
            journal = try files.openFile(Self.journalName, in: directory, .existing)
        } catch {
            if error.isMissing { return .missing }
            if error.isWrongKind { return .unusable("its journal is not a regular file") }
            throw error
        }
        let size = journal.status?.size ?? 0
        guard let found = JournalHeader(try files.read(JournalHeader.length, from: journal, at: 0)) else {
            return .unusable("its journal was written by another version, or is damaged")
        }
        guard size <= Self.maximumJournalBytes else { return .unusable("its journal is too large") }
        header = found
        var index = DiskIndex()
        let end = try readChanges(from: journal, at: JournalHeader.length, size: size) { change in
            index.apply(change)
            return index.isWithinBounds
        }
        guard index.isWithinBounds, index.nextPack <= PackHeader.numberLimit else {
            return .unusable("its journal lists too many files, entries or bytes")
        }
        if end < size { try files.truncate(journal, to: end) }
        changeCount = (end - JournalHeader.length) / IndexChange.length
        state.withLock { state in
            state.use(index, journal: journal, end: end, header: found)
        }
        return .opened
    }

    /// Opens the journal that replaced the current one.
    private func reopenJournal() throws(FileFailure) {
        guard let directory = packDirectory, case .opened = try openJournal(in: directory) else { throw .directoryLost }
    }

    /// Writes the first journal, or a shorter one that replaces the current journal atomically.
    func writeJournal(_ changes: [IndexChange], header new: JournalHeader, in directory: OpenFile) throws(FileFailure) {
        do {
            try files.remove(Self.newJournalName, in: directory)
        } catch {
            guard error.isMissing else { throw error }
        }
        let journal = try files.openFile(Self.newJournalName, in: directory, .new)
        var bytes = new.encoded
        for change in changes { change.encode(to: &bytes, at: bytes.count, epoch: new.epoch) }
        do {
            try writeAll(bytes, to: journal, at: 0)
            try files.sync(journal)
            // Other processes read the seal in the old journal and open the new one. If this process ends before the rename, they
            // open the old journal again and continue after the seal.
            if state.withLock({ $0.journal }) != nil { try append([.seal]) }
        } catch {
            // An unfinished journal only takes space.
            try? files.remove(Self.newJournalName, in: directory)
            throw error
        }
        try files.rename(Self.newJournalName, to: Self.journalName, in: directory)
        try files.sync(directory)
    }

    /// Rewrites a journal that consists mostly of outdated changes; does nothing on a full disk.
    func rewriteJournalIfWorthwhile() throws(FileFailure) {
        let live = state.withLock { $0.index.entries.count + $0.index.packs.count }
        guard changeCount > 2 * live + 4096, let directory = packDirectory else { return }
        // What was durable stays durable: sync the packs before the new journal names them.
        try syncPacks()
        var new = header
        new.epoch = UInt64.random(in: .min ... .max)
        do {
            try writeJournal(state.withLock { $0.index.snapshot }, header: new, in: directory)
        } catch {
            guard error.isOutOfRoom else { throw error }
            return report(error)
        }
        try reopenJournal()
    }
}
