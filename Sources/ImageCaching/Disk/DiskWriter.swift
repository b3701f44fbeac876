internal import Dispatch
internal import ImageCore

/// Writes the files of a disk cache: an actor with its own queue, so that blocking calls do not occupy a thread of the
/// cooperative pool.
///
/// The directory:
/// ```
/// images-v2/3f/<62 hexadecimal digits>       an entry, see EntryFile
/// images-v2/3f/<16 hexadecimal digits>.tmp   an entry that a process is writing
/// ```
/// A file is complete before it gets its name, so that all processes see it whole or not at all, without locks. Nothing
/// stays open between two calls: each opens the directory by its path, so that one that was removed is made again.
actor DiskWriter {
    /// The name contains the version of the format: other versions use other directories.
    static let directoryName = "images-v2"

    let configuration: DiskCache.Configuration
    /// The state in memory, which readers use, too.
    nonisolated let state = Lock(DiskState())
    let files: any FileSystem
    private let executor = QueueExecutor(label: "calotype.disk-cache.write")
    /// Whether anything was written since the last sync.
    var hasUnsyncedFiles = false
    private var warned: Set<DiskCache.Warning.Kind> = []

    init(_ configuration: DiskCache.Configuration, files: any FileSystem) {
        self.configuration = configuration
        self.files = files
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    nonisolated var path: String { configuration.directory.path(percentEncoded: false) }

    /// Opens the directory once, and begins to count its entries; turns the cache off if the directory cannot be used.
    func open() {
        guard state.withLock({ $0.phase }) == .unopened else { return }
        do {
            _ = try openHome()
            state.withLock { $0.phase = .open }
            Task { drain() }
        } catch {
            state.withLock { $0.phase = .off }
            warn(
                .unavailable,
                """
                The disk cache in \(path) \(error); nothing is cached on disk. Choose a directory that only this user can \
                write to.
                """)
        }
    }

    /// Opens the directory of the folders, and creates what is missing.
    func openHome() throws(FileFailure) -> OpenFile {
        let home = try files.openDirectory(Self.directoryName, in: files.openDirectory(path: path))
        #if canImport(Darwin)
            var (url, values) = (configuration.directory, URLResourceValues())
            values.isExcludedFromBackup = true
            try? url.setResourceValues(values)
        #endif
        return home
    }

    /// Writes all pending changes, and uses if there are many, and enforces the limits.
    func drain() {
        writePending()
        if state.withLock({ $0.hasManyUses }) { writeUses() }
        try? enforce(configuration.limits)
    }

    /// Writes everything that is pending, also at the end of the cache.
    func finish() {
        drain()
        writeUses()
    }

    /// Counts all entries, with those that other processes have stored.
    func refresh() {
        writePending()
        try? enforce(configuration.limits, isForced: true)
    }

    /// Writes all pending changes and makes them durable.
    func flush() throws {
        finish()
        guard hasUnsyncedFiles else { return }
        try change("flushed") { home throws(FileFailure) in try files.sync(home) }
        hasUnsyncedFiles = false
    }

    func removeAll() throws {
        state.withLock { $0.discardPending() }
        try change("cleared") { home throws(FileFailure) in
            try forEachEntry(in: home) { name, folder throws(FileFailure) in try removeFile(of: name, in: folder) }
        }
    }

    /// Removes all entries with the source of a resource, which lie in one folder.
    func removeEntries(of resource: ResourceKey) throws {
        let source = EntryName.sourceWord(of: resource)
        state.withLock { $0.enqueueRemovals { $0.words[0] == source } }
        drain()
        try change("cleared") { home throws(FileFailure) in
            try forEachEntry(in: home, folders: CollectionOfOne(UInt8(source >> 56))) { name, folder throws(FileFailure) in
                if name.words[0] == source { try removeFile(of: name, in: folder) }
            }
        }
    }

    func trim(toBytes bytes: Int) throws {
        writePending()
        let own = configuration.limits
        let limits = DiskCache.Limits(
            maximumBytes: bytes, minimumBytes: 0, maximumCount: own.maximumCount, timeToLive: own.timeToLive, freedShare: 0)
        try change("trimmed") { _ throws(FileFailure) in try enforce(limits, isForced: true) }
    }

    /// Runs `body` with the open directory, and throws a failure to the caller.
    private func change(_ verb: String, _ body: (OpenFile) throws(FileFailure) -> Void) throws {
        do throws(FileFailure) {
            hasUnsyncedFiles = true
            try body(openHome())
        } catch {
            report(error)
            throw ImageError(.cacheFailed, message: "The disk cache in \(path) could not be \(verb): it \(error).")
        }
    }

    /// Calls `body` for each entry in some folders; throws the first failure after the last entry.
    func forEachEntry(
        in home: OpenFile, folders: some Sequence<UInt8> = UInt8.min ... .max,
        _ body: (_ name: EntryName, _ folder: OpenFile) throws(FileFailure) -> Void
    ) throws(FileFailure) {
        var failure: FileFailure?
        for number in folders {
            guard let folder = home.subdirectory(EntryName.folderName(number)) else { continue }
            try folder.forEachName { text in
                guard let name = EntryName(folder: number, fileName: text) else { return }
                do throws(FileFailure) { try body(name, folder) } catch { failure = failure ?? error }
            }
        }
        if let failure { throw failure }
    }

    /// Warns of a failure once.
    func report(_ failure: FileFailure) {
        warn(
            .writeFailed,
            "The disk cache in \(path) \(failure); new entries may be lost. Free disk space, or allow this user to write there.")
    }

    private func warn(_ kind: DiskCache.Warning.Kind, _ message: String) {
        if warned.insert(kind).inserted { configuration.onWarning(DiskCache.Warning(kind: kind, message: message)) }
    }
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
