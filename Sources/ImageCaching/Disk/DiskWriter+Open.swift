internal import ImageCore

// Opening the directory.
extension DiskWriter {
    /// The name contains the version of the format: other versions use other directories.
    static let directoryName = "images-v1"
    static let maximumListing = DiskIndex.maximumPackCount
    static let setAsidePrefix = directoryName + ".aside-"
    /// The cache stays off if there are this many renamed directories already.
    private static let maximumSetAside = 9

    /// Opens the directory once; turns the cache off if that fails. If another process holds the lock, the directory stays
    /// unopened, and the next use of the cache tries again.
    func open() {
        guard state.withLock({ $0.phase }) == .unopened else { return }
        do {
            let root = try files.openDirectory(path: path)
            self.root = root
            lockFile = try files.openFile(Self.directoryName + ".lock", in: root, .existingOrNew)
            try lockingDirectory(timeout: Self.shortLockTimeout) { () throws(FileFailure) in try openPackDirectory(in: root) }
            state.withLock { $0.phase = .open }
        } catch {
            guard error != .lockHeld else { return report(error) }
            state.withLock { $0.turnOff() }
            packDirectory = nil
            warn(
                .unavailable,
                """
                The disk cache in \(path) \(error); nothing is cached on disk. Choose a directory that only this user can \
                write to.
                """)
        }
    }

    private func openPackDirectory(in root: OpenFile) throws(FileFailure) {
        for _ in 0..<2 {
            var reason = "it is not a directory"
            do {
                let directory = try files.openDirectory(Self.directoryName, in: root)
                switch try openContents(of: directory) {
                case nil: return
                case let problem?: reason = problem
                }
            } catch {
                guard error.isWrongKind else { throw error }
            }
            try setAside(because: reason, in: root)
        }
        throw FileFailure(operation: "create a new cache directory after renaming the old one", code: 0)
    }

    /// Opens the contents; returns the reason why they cannot be used, or `nil` on success.
    private func openContents(of directory: OpenFile) throws(FileFailure) -> String? {
        let names = try files.names(in: directory, limit: Self.maximumListing)
        switch try openJournal(in: directory) {
        case .opened: break
        case .unusable(let reason): return reason
        case .missing:
            // A process that ended while it created the directory leaves at most this file.
            guard names.allSatisfy({ $0 == Self.newJournalName }) else { return "it contains files, but no journal" }
            hasUnsyncedNames = true
            try writeJournal([], header: .random(), in: directory)
            guard case .opened = try openJournal(in: directory) else { throw .directoryLost }
        }
        self.packDirectory = directory
        try reconcile(with: names, in: directory)
        try enforce(configuration.limits)
        try rewriteJournalIfWorthwhile()
        return nil
    }

    /// Renames a directory that cannot be used. The cache does not read it afterwards; ``removeAll()`` removes the cache's files in
    /// it.
    private func setAside(because reason: String, in root: OpenFile) throws(FileFailure) {
        let names = Set(try files.names(in: root, limit: Self.maximumListing))
        guard
            let free = (1...Self.maximumSetAside).map({ Self.setAsidePrefix + "\($0)" }).first(where: {
                !names.contains($0)
            })
        else {
            throw FileFailure(
                operation: "rename \(Self.directoryName), since \(Self.maximumSetAside) were renamed before", code: 0)
        }
        try files.rename(Self.directoryName, to: free, in: root)
        state.withLock { $0.journal = nil }
        warn(
            .setAside,
            """
            The disk cache in \(path) could not use \(Self.directoryName), since \(reason). It was renamed to \(free), and the \
            cache is empty now. Delete \(free) if you do not need it.
            """
        )
    }

    /// Makes the index and the packs consistent: removes entries whose bytes are missing, and packs that have no entries and no
    /// writer.
    private func reconcile(with names: [String], in directory: OpenFile) throws(FileFailure) {
        var changes: [IndexChange] = []
        let index = state.withLock { $0.index }
        var present: Set<UInt64> = []
        for number in names.compactMap(PackHeader.number(fileName:)) {
            guard index.packs[number] != nil else {
                removeIfAbandoned(number, in: directory)
                changes.append(.packFloor(number &+ 1))
                continue
            }
            guard let file = openPack(number), let size = file.status?.size else { continue }
            present.insert(number)
            if size < index.packs[number]?.end ?? 0 {
                changes += index.entries(in: number).filter { $0.entry.location.end > size }.map { .remove($0.name) }
            }
        }
        changes += index.packs.keys.filter { !present.contains($0) }.sorted().map { .dropPack($0) }
        if !changes.isEmpty { try append(changes) }
    }

    private func removeIfAbandoned(_ number: UInt64, in directory: OpenFile) {
        let name = PackHeader.fileName(number)
        guard let file = try? files.openFile(name, in: directory, .existing), (try? files.tryLock(file)) == true else { return }
        // Remove only files that this directory's caches began: with the complete header, or empty.
        let start = try? files.read(PackHeader.length, from: file, at: 0)
        guard start == [] || start == PackHeader.encode(directory: header.directory, pack: number) else { return }
        try? files.remove(name, in: directory)
    }
}
