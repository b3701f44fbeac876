internal import Dispatch
public import ImageCore

/// A cache of encoded bytes with their response headers in a directory, limited by bytes, count and age. The least recently used
/// entries are evicted first.
///
/// A store returns once the entry can be read, and is written soon after; ``flush()`` waits until it is durable. Entries and
/// their order of use survive a restart. A process that ends at any instant loses at most what was not flushed. Every read is
/// verified by a checksum; a damaged entry is a miss and is removed.
///
/// Several caches may share a directory, also in different processes; each sees the entries of the others. If a process holds the
/// lock of the directory for more than a tenth of a second, for example because it was suspended, reads in the other processes
/// are misses until it releases the lock, and stores wait in memory or are lost.
///
/// An error of the file system costs cache hits and never fails a load; see ``Warning``. No call blocks its thread on a disk: the
/// cache accesses files on its own queues, except for bytes that are in the system's page cache.
///
/// ```swift
/// let folder = URL(filePath: "/var/cache/thumbnails")
/// let cache = DiskCache(.init(directory: folder, limits: .init(maximumBytes: 1_000_000_000)))
/// ```
public final class DiskCache: DataCaching {
    let configuration: Configuration
    let writer: DiskWriter
    let readers = DispatchQueue(label: "calotype.disk-cache.read", attributes: .concurrent)

    /// A store waits for the writer while more than this many bytes are pending.
    private static let pendingLimit = 16 << 20

    package var directory: URL { configuration.directory }

    /// Creates a cache that opens its directory at the first use.
    ///
    /// - Parameter configuration: the directory, limits, clock and warning handler.
    public convenience init(_ configuration: Configuration = Configuration()) {
        self.init(configuration, files: POSIXFiles())
    }

    init(_ configuration: Configuration, files: any FileSystem) {
        self.configuration = configuration
        writer = DiskWriter(configuration, files: files)
    }

    deinit {
        // Pending entries are written after the cache is gone.
        Task { [writer] in await writer.drain() }
    }

    /// The stored entry, counted as a use; `nil` for a miss.
    ///
    /// - Throws: only `CancellationError`.
    public func entry(for key: DataKey) async throws -> DataEntry? {
        guard let name = await openedName(of: key) else { return nil }
        let found = await entry(named: name)
        count(name, isHit: found != nil)
        return found
    }

    /// Counts a lookup, and a hit as a use.
    func count(_ name: EntryName, isHit: Bool) {
        let wakes = writer.state.withLock { state in
            if isHit { state.statistics.hits += 1 } else { state.statistics.misses += 1 }
            return isHit && state.touch(name)
        }
        if wakes { wakeWriter() }
    }

    /// Stores an entry, replacing the entry of the key. If it exceeds the limit, nothing is stored. Throws no errors.
    public func store(_ entry: DataEntry, for key: DataKey) async throws {
        guard let name = await openedName(of: key) else { return }
        let now = configuration.now()
        let isStuck = writer.lockWait.isStuck
        let (wakes, waits) = writer.state.withLock { state in
            // Entries that cannot be written for now must not fill the memory. The old entry is removed, since it is outdated.
            let isLost = isStuck && state.pendingBytes > Self.pendingLimit
            if isLost { state.statistics.refusals += 1 }
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

    /// Removes the entry of a key. Throws no errors.
    public func removeEntry(for key: DataKey) async throws {
        guard let name = await openedName(of: key) else { return }
        if writer.state.withLock({ $0.enqueue(nil, for: name, at: 0) }) { wakeWriter() }
    }

    /// Removes all entries with the source of a resource, including those that other processes stored. Looks at the name of each
    /// entry of the directory.
    ///
    /// - Throws: ``ImageError`` if another process holds the lock of the directory; entries may then remain.
    public func removeEntries(of resource: ResourceKey) async throws {
        guard await openedName(of: DataKey(resource: resource)) != nil else { return }
        guard await isUpToDate() else { throw lockedError }
        let wakes = writer.state.withLock { $0.enqueueRemovals(ofSource: EntryName.sourceHash(of: resource, secret: $0.secret)) }
        if wakes { wakeWriter() }
    }

    /// Removes all entries, including those that other processes stored, and the cache's files in directories that were renamed
    /// because they could not be used (``Warning/Kind/setAside``).
    ///
    /// - Throws: ``ImageError`` if the directory cannot be opened or written; entries may then remain.
    public func removeAll() async throws {
        try await requireOpen()
        try await writer.removeAll()
    }

    /// Returns when everything stored so far is durable and survives a loss of power.
    ///
    /// - Throws: ``ImageError`` if the system cannot sync the files.
    public func flush() async throws {
        guard await isOpen() else { return }
        try await writer.flush()
    }

    /// The contents and counters, after reading what other processes have stored.
    public var statistics: CacheStatistics {
        get async {
            if await isOpen() { _ = await refresh() }
            return writer.state.withLock { $0.currentStatistics }
        }
    }

    /// The counters of this process, without entries that other processes have stored since the last access.
    public var cacheStatistics: [CacheStatistics] { [writer.state.withLock { $0.currentStatistics }] }

    /// Evicts the least recently used entries until the files take at most `bytes` bytes.
    ///
    /// - Parameter bytes: the new size of all files, in bytes.
    /// - Throws: ``ImageError`` if the directory cannot be written or another process holds its lock.
    public func trim(toBytes bytes: Int) async throws {
        guard await isOpen() else { return }
        try await writer.trim(toBytes: bytes)
    }

    func wakeWriter() {
        Task { [writer] in await writer.drain() }
    }

    func isOpen() async -> Bool {
        if writer.state.withLock({ $0.phase }) == .unopened { await writer.open() }
        return writer.state.withLock { $0.phase } == .open
    }

    /// Opens the directory, or throws the reason why it cannot be used.
    ///
    /// - Throws: ``ImageError`` if the cache is off.
    package func requireOpen() async throws {
        guard await !isOpen() else { return }
        if writer.state.withLock({ $0.phase }) == .unopened { throw lockedError }
        throw ImageError(
            .cacheFailed,
            message: """
                The disk cache in \(writer.path) could not be opened, or was removed. Its files were not changed. Choose a \
                directory that only this user can write to.
                """)
    }

    var lockedError: ImageError {
        ImageError(
            .cacheFailed,
            message: """
                Another process holds the lock of the disk cache in \(writer.path). Try again, or end that process if it hangs.
                """)
    }

    /// The name of an entry, once the directory is open; `nil` if the cache is off or another process holds the lock.
    func openedName(of key: DataKey) async -> EntryName? {
        var (phase, secret) = writer.state.withLock { ($0.phase, $0.secret) }
        if phase == .unopened {
            _ = await writer.lockWait.wait { [writer] in
                await writer.open()
                return true
            }
            (phase, secret) = writer.state.withLock { ($0.phase, $0.secret) }
        }
        return phase == .open ? EntryName(key, secret: secret) : nil
    }
}

// Reading.
extension DiskCache {
    func entry(named name: EntryName) async -> DataEntry? {
        // Another process may move an entry between the lookup and the read. Retry a few times.
        for _ in 0..<4 {
            guard await isUpToDate() else { return nil }
            let now = configuration.now()
            let lookup = writer.state.withLock { $0.lookUp(name, limits: configuration.limits, now: now) }
            switch lookup {
            case .miss: return nil
            case .hit(let entry): return entry
            case .stored(let location, let file):
                switch await read(name, at: location, from: file) {
                case .entry(let entry): return entry
                case .damaged:
                    // Another process may have moved the entry and removed the old pack since the lookup.
                    guard await refresh() else { return nil }
                    if writer.state.withLock({ $0.enqueueRemoval(ofDamaged: name, at: location) }) {
                        wakeWriter()
                        return nil
                    }
                case .wouldBlock: return nil
                }
            }
        }
        return nil
    }

    /// Reads changes of other processes since the last call; `false` if one of them holds the lock for too long.
    func isUpToDate() async -> Bool {
        guard await isStale() else { return true }
        return await refresh()
    }

    private func refresh() async -> Bool { await writer.lockWait.wait { [writer] in await writer.refresh() } }

    /// Whether another process has changed or removed the journal.
    private func isStale() async -> Bool {
        let (journal, end) = writer.state.withLock { ($0.journal, $0.journalEnd) }
        guard let status = journal?.status else { return false }
        return status.size != end || status.links == 0
    }

    private func read(_ name: EntryName, at location: PackLocation, from file: OpenFile?) async -> PackReading {
        if let file {
            let reading = file.entry(named: name, at: location, mayBlock: false)
            if case .wouldBlock = reading {} else { return reading }
        }
        return await withCheckedContinuation { continuation in
            readers.async { [writer] in
                guard let file = file ?? writer.openPack(location.pack) else { return continuation.resume(returning: .damaged) }
                writer.state.withLock { $0.keepOpen(file, pack: location.pack) }
                continuation.resume(returning: file.entry(named: name, at: location, mayBlock: true))
            }
        }
    }
}
