internal import ImageCore

// Opening the directory: what is there is recognised, or set aside.
extension DiskWriter {
    /// The schema's version is in the name: another version finds a directory of its own.
    static let homeName = "images-v1"
    private static let largestListing = DiskIndex.maximumPackCount
    /// Directories that were set aside and that nobody has looked after; beyond this the cache stays off.
    private static let mostSetAside = 9

    /// Opens the directory, once; the cache is off where that fails. Where another process holds the lock it stays
    /// unopened, and its next use tries again.
    func open() {
        guard shared.lock.withLock({ $0.phase }) == .unopened else { return }
        do {
            let root = try files.openDirectory(path: path)
            self.root = root
            lockFile = try files.openFile(Self.homeName + ".lock", in: root, .existingOrNew)
            try withDirectoryLock(patience: Self.shortLockPatience) { () throws(FileFailure) in try openHome(in: root) }
            shared.lock.withLock { $0.phase = .open }
        } catch {
            guard error != .lockHeld else { return report(error) }
            shared.lock.withLock { $0.turnOff() }
            home.withLock { $0 = nil }
            warn(
                .unavailable,
                """
                The disk cache in \(path) \(error); nothing is cached on disk. Choose a directory that this user alone can \
                write to.
                """)
        }
    }

    private func openHome(in root: OpenFile) throws(FileFailure) {
        for _ in 0..<2 {
            var reason = "it is no directory"
            do {
                let home = try files.openDirectory(Self.homeName, in: root)
                switch try openContents(of: home) {
                case nil: return
                case let problem?: reason = problem
                }
            } catch {
                guard error.isWrongKind else { throw error }
            }
            try setAside(because: reason, in: root)
        }
        throw FileFailure(operation: "begin anew beside what was set aside", code: 0)
    }

    /// Returns why the directory cannot be used, or `nil` when it is open now.
    private func openContents(of home: OpenFile) throws(FileFailure) -> String? {
        let names = try files.names(in: home, limit: Self.largestListing)
        switch try openJournal(in: home) {
        case .opened: break
        case .unusable(let reason): return reason
        case .missing:
            // A process that died while it made the directory leaves nothing else behind.
            guard names.allSatisfy({ $0 == "journal.new" }) else { return "it holds files, but no journal" }
            hasUnsyncedNames = true
            try writeJournal([], header: .random(), in: home)
            guard case .opened = try openJournal(in: home) else { throw .directoryLost }
        }
        self.home.withLock { $0 = home }
        try reconcile(with: names, in: home)
        try enforce(configuration.limits)
        try rewriteJournalIfWorthwhile()
        return nil
    }

    /// Moves what lies in the cache's place to a name beside it. It is not looked into again, and not deleted.
    private func setAside(because reason: String, in root: OpenFile) throws(FileFailure) {
        let names = Set(try files.names(in: root, limit: Self.largestListing))
        guard let free = (1...Self.mostSetAside).map({ Self.homeName + ".aside-\($0)" }).first(where: { !names.contains($0) })
        else {
            throw FileFailure(operation: "set aside \(Self.homeName), as \(Self.mostSetAside) were before", code: 0)
        }
        try files.rename(Self.homeName, to: free, in: root)
        shared.lock.withLock { $0.journal = nil }
        warn(
            .setAside,
            """
            The disk cache in \(path) could not use \(Self.homeName), since \(reason). It was moved to \(free), and the cache \
            is empty now.
            """
        )
    }

    /// Makes index and packs agree: entries whose bytes are not there go, and so do packs that no entry was ever written
    /// to and nobody is writing to.
    private func reconcile(with names: [String], in home: OpenFile) throws(FileFailure) {
        var changes: [IndexChange] = []
        let index = shared.lock.withLock { $0.index }
        var present: Set<UInt64> = []
        for number in names.compactMap(PackHeader.number(fileName:)) {
            guard index.packs[number] != nil else {
                removeIfAbandoned(number, in: home)
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

    private func removeIfAbandoned(_ number: UInt64, in home: OpenFile) {
        let name = PackHeader.fileName(number)
        guard let file = try? files.openFile(name, in: home, .existing), (try? files.tryLock(file)) == true else { return }
        // Only what this directory's caches began: the whole header, or nothing of it.
        let start = try? files.read(PackHeader.length, from: file, at: 0)
        guard start == [] || start == PackHeader.encode(directory: header.directory, pack: number) else { return }
        try? files.remove(name, in: home)
    }
}
