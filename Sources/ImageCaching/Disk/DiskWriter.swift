internal import Dispatch
internal import ImageCore

/// The state of a disk cache, where both its sides reach it.
final class SharedDiskState: Sendable {
    let lock = Lock(DiskState())
}

/// The side of the disk cache that changes files: one actor on a queue of its own, so that its blocking calls hold up no
/// thread of the cooperative pool.
///
/// The directory:
/// ```
/// images-v1.lock            taken (flock) while the journal or the set of packs changes
/// images-v1/journal         the index, as a list of changes
/// images-v1/17.pack         records of entries, one after the other; written once, by the process that holds its lock
/// images-v1.aside-1         what lay there and could not be used
/// ```
/// Bodies go to the pack first and then, under the directory's lock, into the journal: so the journal never names bytes
/// that were not written before, and its order is the order of events for all processes. Room is given back by whole
/// packs; a pack that is mostly dead is copied first.
actor DiskWriter {
    let configuration: DiskCache.Configuration
    let shared: SharedDiskState
    let files: any FileSystem
    private let executor = QueueExecutor(label: "calotype.disk-cache.write")

    var root: OpenFile?
    var lockFile: OpenFile?
    var header = JournalHeader.random()
    /// Changes in the journal's file, which is rewritten when most of them are out of date.
    var changeCount = 0
    /// The pack that this cache appends to, whose lock it holds.
    var active: ActivePack?
    /// Files with bytes that are not synced yet.
    var unsynced: [OpenFile] = []
    /// Whether names were made that are not synced yet.
    var hasUnsyncedNames = false
    private var warned: Set<DiskCache.Warning.Kind> = []
    /// How the wait for the directory's lock goes.
    let lockWait = LockWait()
    /// Where readers find the directory of the packs.
    let home = Lock<OpenFile?>(nil)

    struct ActivePack {
        var number: UInt64
        var file: OpenFile
        var end: Int
    }

    init(_ configuration: DiskCache.Configuration, shared: SharedDiskState, files: any FileSystem) {
        self.configuration = configuration
        self.shared = shared
        self.files = files
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Writes what was asked for so far.
    func drain() {
        while shared.lock.withLock({ $0.phase }) == .open, let batch = shared.lock.withLock({ $0.nextBatch() }) {
            do {
                try write(batch)
            } catch {
                lose(batch, because: error)
            }
        }
    }

    /// Writes what was asked for so far and makes it durable.
    func flush() throws {
        drain()
        do {
            if let active { try files.sync(active.file) }
            while let file = unsynced.last {
                try files.sync(file)
                unsynced.removeLast()
            }
            if let journal = shared.lock.withLock({ $0.journal }) { try files.sync(journal) }
            if hasUnsyncedNames, let home = home.withLock({ $0 }) { try files.sync(home) }
            hasUnsyncedNames = false
        } catch {
            warn(.writeFailed, "The disk cache \(error); entries may be lost when the power goes.")
            throw ImageError(.cacheFailed, message: "The disk cache could not be made durable: it \(error).")
        }
    }

    /// Reads what other processes have added to the journal. Returns `false` where another process holds the lock.
    @discardableResult
    func refresh() -> Bool {
        do {
            try withDirectoryLock { () throws(FileFailure) in try catchUp() }
        } catch {
            report(error)
            return error != .lockHeld
        }
        return true
    }

    func removeAll() throws {
        drain()
        do {
            try withDirectoryLock { () throws(FileFailure) in
                try catchUp()
                retireActivePack()
                try append([.removeAll])
                try dropEmptyPacks()
            }
        } catch {
            report(error)
            throw ImageError(.cacheFailed, message: "The disk cache could not be cleared: it \(error).")
        }
    }

    func trim(toBytes bytes: Int) throws {
        drain()
        var limits = configuration.limits
        (limits.bytes, limits.freedShare) = (max(0, bytes), 0)
        do {
            try withDirectoryLock { () throws(FileFailure) in
                try catchUp()
                try enforce(limits)
            }
        } catch {
            report(error)
            throw ImageError(.cacheFailed, message: "The disk cache could not be trimmed: it \(error).")
        }
    }

    private func write(_ batch: DiskState.Batch) throws(FileFailure) {
        // Bodies first, without the directory's lock: others may go on.
        var changes: [IndexChange] = []
        var lost = 0
        do {
            try writeBodies(of: batch.changes, to: &changes, lost: &lost)
        } catch {
            cutPacks(writtenFor: changes)
            // What the keys had before is out of date.
            changes = batch.changes.map { .remove($0.name) }
            lost = batch.changes.count { $0.pending.entry != nil }
            report(error)
        }
        var seen: Set<EntryName> = []
        changes += batch.touched.reversed().filter { seen.insert($0).inserted }.reversed().map { .touch($0) }
        try withDirectoryLock { () throws(FileFailure) in
            try catchUp()
            try append(changes, settling: batch, lost: lost)
            tidy()
        }
    }

    /// Keeps the limits and the journal short. What was written before stays so where that fails. Under the directory's lock.
    func tidy() {
        do {
            try enforce(configuration.limits)
            try rewriteJournalIfWorthwhile()
        } catch {
            report(error)
        }
    }

    /// The batch is not written. The entries are gone, and so are older ones of the same names as far as this cache knows.
    private func lose(_ batch: DiskState.Batch, because failure: FileFailure) {
        shared.lock.withLock { state in
            for (name, _) in batch.changes { state.apply(.remove(name)) }
            state.settle(batch)
            state.statistics.lostStores += batch.changes.count { $0.pending.entry != nil }
        }
        report(failure)
    }

    /// Tells of a failure once, and gives up where the directory is gone.
    func report(_ failure: FileFailure) {
        if failure == .directoryLost {
            shared.lock.withLock { $0.turnOff() }
            warn(
                .directoryLost, "The disk cache's directory \(path) was removed; nothing is cached on disk until the next launch."
            )
        } else if failure == .lockHeld {
            warn(
                .locked,
                """
                Another process holds the lock of the disk cache in \(path). Loads go on without the cache until it lets go, and \
                what they store may be lost. End that process if it hangs.
                """)
        } else {
            warn(
                .writeFailed,
                "The disk cache in \(path) \(failure); what it stores now may be lost. Make room or allow writing there.")
        }
    }

    func warn(_ kind: DiskCache.Warning.Kind, _ message: String) {
        if warned.insert(kind).inserted { configuration.onWarning(DiskCache.Warning(kind: kind, message: message)) }
    }

    nonisolated var path: String { configuration.directory.path(percentEncoded: false) }
}

extension FileFailure {
    /// The directory was removed under the cache.
    static let directoryLost = FileFailure(operation: "find its journal", code: 2)
}

/// Runs an actor's work on a dispatch queue.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: UnownedJob) {
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }
}
