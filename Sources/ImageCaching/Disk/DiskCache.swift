internal import Dispatch
public import ImageCore

/// A cache of encoded bytes with their response headers in a directory, limited by bytes, count and age. The least
/// recently used entries are evicted first.
///
/// A store returns once the entry can be read, and is written soon after; ``flush()`` waits until it is durable. Each
/// entry is a file. Entries and their order of use survive a restart. A process that ends at any instant loses at most
/// what was not flushed. Every read is verified by a checksum; a damaged entry is a miss and is removed.
///
/// Several caches may share a directory, also in different processes; each sees what the others have written. No file
/// is locked, or held open between two calls. A directory that is removed while the cache is in use is created again.
///
/// An error of the file system costs cache hits and never fails a load; see ``Warning``. No call blocks its thread on a
/// disk: the cache accesses files on its own queues, except for names and bytes that are in the system's caches.
///
/// ```swift
/// let folder = URL(filePath: "/var/cache/thumbnails")
/// let cache = DiskCache(.init(directory: folder, limits: .init(maximumBytes: 1_000_000_000)))
/// ```
public final class DiskCache: DataCaching {
    let configuration: Configuration
    let writer: DiskWriter
    /// The path of the folders, with a slash at its end.
    private let home: String
    private let readers = DispatchQueue(label: "calotype.disk-cache.read", attributes: .concurrent)

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
        home = writer.path + (writer.path.hasSuffix("/") ? "" : "/") + DiskWriter.directoryName + "/"
    }

    deinit {
        // Pending entries are written after the cache is gone.
        Task { [writer] in await writer.finish() }
    }

    /// The stored entry, counted as a use; `nil` for a miss.
    ///
    /// - Throws: only `CancellationError`.
    public func entry(for key: DataKey) async throws -> DataEntry? {
        guard let name = await openedName(of: key) else { return nil }
        let found = await entry(named: name)
        let now = configuration.now()
        let wakes = writer.state.withLock { state in
            if found != nil { state.statistics.hits += 1 } else { state.statistics.misses += 1 }
            return found != nil && state.recordUse(of: name, now: now)
        }
        if wakes { wakeWriter() }
        return found
    }

    /// Stores an entry, replacing the entry of the key. If it exceeds the limit, nothing is stored. Throws no errors.
    public func store(_ entry: DataEntry, for key: DataKey) async throws {
        await enqueue(entry, for: key)
    }

    /// Replaces the response headers and the time of an entry. The body is written only if it is not the stored one, or
    /// there is no room for the headers. Throws no errors.
    public func updateEntry(_ entry: DataEntry, for key: DataKey) async throws {
        await enqueue(entry, isUpdate: true, for: key)
    }

    /// Removes the entry of a key. Throws no errors.
    public func removeEntry(for key: DataKey) async throws {
        await enqueue(nil, for: key)
    }

    private func enqueue(_ entry: DataEntry?, isUpdate: Bool = false, for key: DataKey) async {
        guard let name = await openedName(of: key) else { return }
        let now = configuration.now()
        let (wakes, waits) = writer.state.withLock { state in
            (state.enqueue(entry, isUpdate: isUpdate, for: name, now: now), state.pendingBytes > Self.pendingLimit)
        }
        if waits { await writer.drain() } else if wakes { wakeWriter() }
    }

    /// Removes all entries with the source of a resource, including those that other processes stored. Looks at the
    /// names in one of the 256 folders.
    ///
    /// - Throws: ``ImageError`` if the directory cannot be read or written; entries may then remain.
    public func removeEntries(of resource: ResourceKey) async throws {
        guard await isOpen() else { return }
        try await writer.removeEntries(of: resource)
    }

    /// Removes all entries, including those that other processes stored.
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

    /// The contents and counters, after reading the names of all entries, with those of other processes.
    public var statistics: CacheStatistics {
        get async {
            if await isOpen() { await writer.refresh() }
            return writer.state.withLock { $0.currentStatistics }
        }
    }

    /// The counters of this process, and the contents as far as they were counted: without what other processes have
    /// changed since the last count.
    public var cacheStatistics: [CacheStatistics] { [writer.state.withLock { $0.currentStatistics }] }

    /// Evicts the least recently used entries until the files take at most `bytes` bytes.
    ///
    /// - Parameter bytes: the new size of all files, in bytes.
    /// - Throws: ``ImageError`` if the directory cannot be read or written.
    public func trim(toBytes bytes: Int) async throws {
        guard await isOpen() else { return }
        try await writer.trim(toBytes: bytes)
    }

    private func wakeWriter() {
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
        throw ImageError(
            .cacheFailed,
            message: """
                The disk cache in \(writer.path) could not be opened. Its files were not changed. Choose a directory that only \
                this user can write to.
                """)
    }

    /// The name of an entry, once the directory is open; `nil` if the cache is off.
    private func openedName(of key: DataKey) async -> EntryName? {
        await isOpen() ? EntryName(key) : nil
    }
}

// Reading.
extension DiskCache {
    private func entry(named name: EntryName) async -> DataEntry? {
        let (limits, now) = (configuration.limits, configuration.now())
        if let pending = writer.state.withLock({ $0.pendingChange(of: name) }) {
            return limits.isExpired(pending.times.written, now: now) ? nil : pending.entry
        }
        switch await read(name) {
        case .entry(let entry, let written):
            if !limits.isExpired(written, now: now) { return entry }
            removeInvalid(name, written: written, isExpired: true)
        case .damaged(let written): removeInvalid(name, written: written)
        case .missing, .wouldBlock: break
        }
        return nil
    }

    /// Reads the file of an entry: at once if its bytes are in the page cache, and on a queue otherwise.
    func read(_ name: EntryName) async -> EntryReading {
        let limit = configuration.limits.maximumBytes
        let folder = home + EntryName.folderName(name.folder)
        let file: OpenFile
        do {
            file = try OpenFile(opening: folder + "/" + name.fileName, flags: OpenFile.readFlags)
        } catch {
            return error.isWrongKind ? .damaged(written: nil) : .missing
        }
        // A folder that is a link is not followed.
        guard OpenFile.isDirectory(folder) else { return .missing }
        let reading = file.entry(named: name, limit: limit, mayBlock: false)
        guard case .wouldBlock = reading else { return reading }
        return await withCheckedContinuation { continuation in
            readers.async { continuation.resume(returning: file.entry(named: name, limit: limit, mayBlock: true)) }
        }
    }

    /// Removes an entry that was found damaged or expired, unless another process replaces its file before.
    func removeInvalid(_ name: EntryName, written: Double?, isExpired: Bool = false) {
        let now = configuration.now()
        let wakes = writer.state.withLock { state in
            state.enqueueRemoval(ofInvalid: name, written: written, isExpired: isExpired, now: now)
        }
        if wakes { wakeWriter() }
    }
}
