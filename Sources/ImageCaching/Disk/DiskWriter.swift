internal import Dispatch
internal import ImageCore

/// Writes the files of a disk cache: an actor with its own queue, so that blocking calls do not occupy a thread of the
/// cooperative pool.
///
/// The directory:
/// ```
/// images-v1.lock            locked (flock) while the journal or the set of packs changes
/// images-v1/journal         the index, as a list of changes
/// images-v1/17.pack         records of entries, written once by the process that holds the lock of the file
/// images-v1.aside-1         a directory that could not be used and was renamed
/// ```
/// Bodies are written to a pack first and then journaled under the directory's lock. So the journal never names bytes that were
/// not written, and its order is the order of events for all processes. Space is freed by removing packs; the current entries of
/// a pack are copied first.
actor DiskWriter {
    let configuration: DiskCache.Configuration
    /// The state in memory, which readers use, too.
    nonisolated let state = Lock(DiskState())
    let files: any FileSystem
    private let executor = QueueExecutor(label: "calotype.disk-cache.write")

    var root: OpenFile?
    var lockFile: OpenFile?
    var header = JournalHeader.random()
    /// The number of changes in the journal, which is rewritten when most of them are outdated.
    var changeCount = 0
    /// The pack that this cache writes to, with its lock held.
    var active: ActivePack?
    /// Files that are not synced yet.
    var unsynced: [OpenFile] = []
    /// Whether files were created in the directory since it was synced.
    var hasUnsyncedNames = false
    private var warned: Set<DiskCache.Warning.Kind> = []
    /// Whether the directory's lock counts as stuck.
    let lockWait = LockWait()
    private let directory = Lock<OpenFile?>(nil)
    /// The open directory of the packs and the journal; readers use it, too.
    nonisolated var packDirectory: OpenFile? {
        get { directory.withLock { $0 } }
        set { directory.withLock { $0 = newValue } }
    }

    struct ActivePack {
        var number: UInt64
        var file: OpenFile
        var end: Int
    }

    init(_ configuration: DiskCache.Configuration, files: any FileSystem) {
        self.configuration = configuration
        self.files = files
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Writes all pending changes.
    func drain() {
        while state.withLock({ $0.phase }) == .open, let batch = state.withLock({ $0.nextBatch() }) {
            do {
                try write(batch)
            } catch {
                lose(batch, because: error)
            }
        }
    }

    /// Writes all pending changes and makes them durable.
    func flush() throws {
        drain()
        do {
            try syncPacks()
            if let journal = state.withLock({ $0.journal }) { try files.sync(journal) }
            if hasUnsyncedNames, let directory = packDirectory { try files.sync(directory) }
            hasUnsyncedNames = false
        } catch {
            warn(.writeFailed, "The disk cache in \(path) \(error); entries may be lost on a power failure. Check the disk.")
            throw ImageError(
                .cacheFailed, message: "The disk cache in \(path) could not be flushed: it \(error). Check the disk.")
        }
    }

    /// Reads what other processes have added to the journal. Returns `false` if another process holds the lock.
    @discardableResult
    func refresh() -> Bool {
        do {
            try withDirectoryLock {}
        } catch {
            report(error)
            return error != .lockHeld
        }
        return true
    }

    func removeAll() throws {
        try change("cleared") { () throws(FileFailure) in
            closeActivePack()
            try append([.removeAll])
            try dropEmptyPacks()
            try removeSetAside()
        }
    }

    /// Removes the cache's files in directories that were renamed because they could not be used. Other files stay, since they may
    /// be another program's.
    private func removeSetAside() throws(FileFailure) {
        guard let root else { return }
        for name in try files.names(in: root, limit: Self.maximumListing) where name.hasPrefix(Self.setAsidePrefix) {
            // A renamed file is not the cache's.
            guard let directory = try? files.openDirectory(name, in: root) else { continue }
            let own = try files.names(in: directory, limit: Self.maximumListing).filter {
                PackHeader.number(fileName: $0) != nil || [Self.journalName, Self.newJournalName].contains($0)
            }
            for file in own { try files.remove(file, in: directory) }
            // Fails if the directory has other files.
            try? files.remove(name, in: root)
        }
    }

    func trim(toBytes bytes: Int) throws {
        let own = configuration.limits
        let limits = DiskCache.Limits(
            maximumBytes: bytes, minimumBytes: 0, maximumCount: own.maximumCount, timeToLive: own.timeToLive, freedShare: 0)
        try change("trimmed") { () throws(FileFailure) in try enforce(limits) }
    }

    private func change(_ verb: String, _ body: () throws(FileFailure) -> Void) throws {
        drain()
        do {
            try withDirectoryLock(body)
        } catch {
            report(error)
            throw ImageError(.cacheFailed, message: "The disk cache in \(path) could not be \(verb): it \(error).")
        }
    }

    /// Makes the bytes of all packs durable.
    func syncPacks() throws(FileFailure) {
        if let active { try files.sync(active.file) }
        while let file = unsynced.last {
            try files.sync(file)
            unsynced.removeLast()
        }
    }

    private func write(_ batch: DiskState.WriteBatch) throws(FileFailure) {
        // Bodies are written without the directory's lock, so that other processes can continue.
        var changes: [IndexChange] = []
        var lost = 0
        do {
            try writeBodies(of: batch.changes, to: &changes, lost: &lost)
        } catch {
            discardBodies(writtenFor: changes)
            // The old entries are outdated.
            changes = batch.changes.map { .remove($0.name) }
            lost = batch.changes.count { $0.pending.entry != nil }
            report(error)
        }
        var seen: Set<EntryName> = []
        changes += batch.touched.reversed().filter { seen.insert($0).inserted }.reversed().map { .touch($0) }
        try withDirectoryLock { () throws(FileFailure) in
            try append(changes, settling: batch, lost: lost)
            enforceLimits()
        }
    }

    /// Enforces the limits and shortens the journal; a failure is only reported. The caller holds the directory's lock.
    func enforceLimits() {
        do {
            try enforce(configuration.limits)
            try rewriteJournalIfWorthwhile()
        } catch {
            report(error)
        }
    }

    /// Drops a batch that could not be written. Removes the old entries from the index of this process, since they are outdated.
    private func lose(_ batch: DiskState.WriteBatch, because failure: FileFailure) {
        state.withLock { state in
            for (name, _) in batch.changes { state.apply(.remove(name)) }
            state.settle(batch)
            state.statistics.refusals += batch.changes.count { $0.pending.entry != nil }
        }
        report(failure)
    }

    /// Warns of a failure once, and turns the cache off if its directory was removed.
    func report(_ failure: FileFailure) {
        if failure == .directoryLost {
            state.withLock { $0.turnOff() }
            warn(
                .directoryLost, "The disk cache's directory \(path) was removed; nothing is cached on disk until the next launch."
            )
        } else if failure == .lockHeld {
            warn(
                .locked,
                """
                Another process holds the lock of the disk cache in \(path). Loads continue without the cache until the lock is \
                free, and entries may be lost. End that process if it hangs.
                """)
        } else {
            warn(
                .writeFailed,
                "The disk cache in \(path) \(failure); new entries may be lost. Free disk space, or allow this user to write there."
            )
        }
    }

    func warn(_ kind: DiskCache.Warning.Kind, _ message: String) {
        if warned.insert(kind).inserted { configuration.onWarning(DiskCache.Warning(kind: kind, message: message)) }
    }

    nonisolated var path: String { configuration.directory.path(percentEncoded: false) }
}

extension FileFailure {
    /// The directory was removed while the cache was in use.
    static let directoryLost = FileFailure(operation: "find its journal", code: 2)
}

/// Runs the jobs of an actor on a dispatch queue.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: UnownedJob) {
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }
}
