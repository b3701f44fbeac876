internal import Dispatch
public import ImageCore

/// Encoded bytes with their response heads in a directory: bounded by bytes, count and age, least recently used first.
///
/// A store returns once the entry can be read, and is written soon after; ``flush()`` waits until it is durable. Entries
/// and the order of their use survive a restart, and a process that dies at any instant loses at most what was not
/// flushed. Every read is checked against a checksum; a damaged entry is a miss and is removed.
///
/// Several caches may share a directory, also from different processes: each sees what the others have written. Where a
/// process holds the directory's lock for more than a tenth of a second, as one that was stopped does, reads in the others
/// are misses until it lets go, and stores wait in memory or are lost. A cache that finds the lock held opens later.
///
/// What the file system refuses costs hits, never a load: see ``Warning``. No call blocks its thread on a disk; files are
/// touched on the cache's own queues, except for bytes that the system holds in memory already.
///
/// ```swift
/// let folder = URL(filePath: "/var/cache/thumbnails")
/// let cache = DiskCache(.init(directory: folder, limits: .init(bytes: 1_000_000_000)))
/// ```
public final class DiskCache: DataCaching {
    let configuration: Configuration
    let shared = SharedDiskState()
    let writer: DiskWriter
    let readers = DispatchQueue(label: "calotype.disk-cache.read", attributes: .concurrent)

    /// Bytes that may wait to be written before a store waits too.
    private static let pendingLimit = 16 << 20

    package var directory: URL { configuration.directory }

    /// A cache that opens its directory at the first use.
    public convenience init(_ configuration: Configuration = Configuration()) {
        self.init(configuration, files: POSIXFiles())
    }

    init(_ configuration: Configuration, files: any FileSystem) {
        self.configuration = configuration
        writer = DiskWriter(configuration, shared: shared, files: files)
    }

    deinit {
        // What waits is written; nobody is left to wait for it.
        Task { [writer] in await writer.drain() }
    }

    /// The stored entry, counted as a use; `nil` for a miss. Throws nothing but `CancellationError`.
    public func entry(for key: DataKey) async throws -> DataEntry? {
        guard let name = await openedName(of: key) else { return nil }
        let found = await entry(named: name)
        let wakes = shared.lock.withLock { state in
            if found == nil { state.statistics.misses += 1 } else { state.statistics.hits += 1 }
            return found != nil && state.touch(name)
        }
        if wakes { wakeWriter() }
        return found
    }

    /// Keeps an entry, replacing what the key had; one that is larger than the limit is not kept. Throws nothing.
    public func store(_ entry: DataEntry, for key: DataKey) async throws {
        guard let name = await openedName(of: key) else { return }
        let now = configuration.now()
        let isStuck = writer.lockWait.isStuck
        let (wakes, waits) = shared.lock.withLock { state in
            // What cannot be written for now must not fill the memory. The key loses what it had, which is out of date.
            let isLost = isStuck && state.pendingBytes > Self.pendingLimit
            if isLost { state.statistics.lostStores += 1 }
            return (state.enqueue(isLost ? nil : entry, for: name, at: now), state.pendingBytes > Self.pendingLimit)
        }
        if waits {
            _ = await writer.lockWait.wait { [writer] in
                await writer.drain()
                return true
            }
        } else if wakes {
            wakeWriter()
        }
    }

    /// Throws nothing.
    public func removeEntry(for key: DataKey) async throws {
        guard let name = await openedName(of: key) else { return }
        if shared.lock.withLock({ $0.enqueue(nil, for: name, at: 0) }) { wakeWriter() }
    }

    /// Removes all entries, those of other processes too.
    ///
    /// - Throws: ``ImageError`` where the directory could not be opened or cannot be written: entries may be left there.
    public func removeAll() async throws {
        try await requireOpen()
        try await writer.removeAll()
    }

    /// Returns when everything stored so far is durable: it outlives a loss of power.
    ///
    /// - Throws: ``ImageError`` where the system could not sync it.
    public func flush() async throws {
        guard await isOpen() else { return }
        try await writer.flush()
    }

    /// What the cache holds and did.
    public var statistics: Statistics {
        get async {
            if await isOpen() { _ = await refresh() }
            return shared.lock.withLock { $0.currentStatistics }
        }
    }

    /// The same as this process knows it, without a look at the directory.
    var knownStatistics: Statistics { shared.lock.withLock { $0.currentStatistics } }

    /// Evicts the least recently used entries until the files take at most `bytes`.
    public func trim(toBytes bytes: Int) async throws {
        guard await isOpen() else { return }
        try await writer.trim(toBytes: bytes)
    }

    func wakeWriter() {
        Task { [writer] in await writer.drain() }
    }

    func isOpen() async -> Bool {
        if shared.lock.withLock({ $0.phase }) == .unopened { await writer.open() }
        return shared.lock.withLock { $0.phase } == .open
    }

    /// Opens the directory, for those who have to know that it is open.
    ///
    /// - Throws: ``ImageError`` where the cache is off.
    package func requireOpen() async throws {
        guard await !isOpen() else { return }
        if shared.lock.withLock({ $0.phase }) == .unopened { throw lockedError }
        throw ImageError(
            .cacheFailed,
            message: """
                The disk cache in \(writer.path) could not be opened, or was removed; what lies there stays. Choose a \
                directory that this user alone can write to.
                """)
    }

    var lockedError: ImageError {
        ImageError(
            .cacheFailed,
            message: """
                Another process holds the lock of the disk cache in \(writer.path). Try again, or end that process if it hangs.
                """)
    }

    /// The name of an entry; `nil` where nothing is cached, or another process holds the lock so that nothing is yet.
    func openedName(of key: DataKey) async -> EntryName? {
        var (phase, secret) = shared.lock.withLock { ($0.phase, $0.secret) }
        if phase == .unopened {
            _ = await writer.lockWait.wait { [writer] in
                await writer.open()
                return true
            }
            (phase, secret) = shared.lock.withLock { ($0.phase, $0.secret) }
        }
        return phase == .open ? EntryName(key, secret: secret) : nil
    }
}

// Reading.
extension DiskCache {
    func entry(named name: EntryName) async -> DataEntry? {
        // Another process may move an entry between looking it up and reading it; not forever.
        for _ in 0..<4 {
            guard await isUpToDate() else { return nil }
            let now = configuration.now()
            let lookup = shared.lock.withLock { $0.lookUp(name, limits: configuration.limits, now: now) }
            switch lookup {
            case .miss: return nil
            case .hit(let entry): return entry
            case .stored(let location, let file):
                switch await read(name, at: location, from: file) {
                case .entry(let entry): return entry
                case .damaged:
                    // It may have been moved, and its old place given back, since it was looked up.
                    guard await refresh() else { return nil }
                    if shared.lock.withLock({ $0.enqueueRemoval(ofDamaged: name, at: location) }) {
                        wakeWriter()
                        return nil
                    }
                case .wouldWait: return nil
                }
            }
        }
        return nil
    }

    /// Reads what other processes have written since the last look; `false` where one of them keeps the lock for so long
    /// that nothing is certain.
    func isUpToDate() async -> Bool {
        guard await isStale() else { return true }
        return await refresh()
    }

    private func refresh() async -> Bool { await writer.lockWait.wait { [writer] in await writer.refresh() } }

    /// Whether the journal was changed by someone else, or is gone.
    private func isStale() async -> Bool {
        let (journal, end) = shared.lock.withLock { ($0.journal, $0.journalEnd) }
        guard let status = journal?.status else { return false }
        return status.size != end || status.links == 0
    }

    private func read(_ name: EntryName, at location: PackLocation, from file: OpenFile?) async -> PackReading {
        if let file {
            let reading = file.entry(named: name, at: location, waits: false)
            if case .wouldWait = reading {} else { return reading }
        }
        return await withCheckedContinuation { continuation in
            readers.async { [writer, shared] in
                guard let file = file ?? writer.openPack(location.pack) else { return continuation.resume(returning: .damaged) }
                shared.lock.withLock { $0.keepOpen(file, pack: location.pack) }
                continuation.resume(returning: file.entry(named: name, at: location, waits: true))
            }
        }
    }
}
