internal import ImageCore

// Counting the entries and enforcing the limits.
extension DiskWriter {
    /// Seconds after which a temporary file counts as left behind by a process that ended.
    private static let temporaryLifetime = 3600.0
    /// Seconds by which a last use may be ahead of the clock.
    private static let clockTolerance = 60.0

    /// Counts the entries if necessary, removes expired ones, and evicts others until the limits hold. Reports a
    /// failure, too.
    func enforce(_ limits: DiskCache.Limits, isForced: Bool = false) throws(FileFailure) {
        let now = configuration.now()
        guard state.withLock({ $0.phase == .open && (isForced || $0.usage.needsCount(limits, now: now)) }) else { return }
        do throws(FileFailure) {
            writeUses()
            let home = try openHome()
            var uses = try count(in: home, collects: state.withLock { $0.usage.isOver(limits) })
            guard state.withLock({ $0.usage.isOver(limits) }) else { return }
            if uses.isEmpty { uses = try count(in: home, collects: true) }
            for use in DiskUsage.evictions(from: uses, limits: limits) {
                // The entry may have been used or replaced in the meantime, here or by another process.
                guard !state.withLock({ $0.wasUsed(use.name) }),
                    let folder = home.subdirectory(EntryName.folderName(use.name.folder)),
                    folder.status(of: use.name.fileName)?.times.lastUse == use.lastUse
                else { continue }
                try removeFile(of: use.name, in: folder)
                state.withLock { $0.statistics.evictions.overLimit += 1 }
            }
        } catch {
            report(error)
            throw error
        }
    }

    /// Reads the names, sizes and times of all entries, and removes files that no cache uses any more.
    ///
    /// - Returns: the sizes and times, if `collects` is `true`.
    private func count(in home: OpenFile, collects: Bool) throws(FileFailure) -> [DiskUsage.Use] {
        var uses: [DiskUsage.Use] = []
        state.withLock { $0.usage.beginCount() }
        for number in UInt8.min ... .max {
            var totals = DiskUsage.Totals()
            var oldestWrite = Double.infinity
            if let folder = home.subdirectory(EntryName.folderName(number)) {
                try folder.forEachName { text in
                    guard let status = folder.status(of: text), status.isOwnFile else { return }
                    guard let name = EntryName(folder: number, fileName: text) else {
                        return removeIfAbandoned(text, status, in: folder)
                    }
                    guard let times = keptTimes(of: text, status, in: folder) else { return }
                    let use = DiskUsage.Use(
                        name: name, bytes: min(status.size, DiskUsage.maximumFileBytes), lastUse: times.lastUse)
                    oldestWrite = min(oldestWrite, times.written)
                    totals += DiskUsage.Totals(count: 1, bytes: use.bytes)
                    if collects { uses.append(use) }
                }
            }
            state.withLock { $0.usage.setFolder(number, to: totals, oldestWrite: oldestWrite) }
            // Stores do not wait until all folders are counted.
            writePending()
        }
        return uses
    }

    /// Removes the file of an entry that is expired or larger than any entry. Otherwise returns its times. A last use
    /// in the future would keep the entry for ever and becomes now. The time of the store stays: a clock that is behind
    /// would expire all entries.
    private func keptTimes(of fileName: String, _ status: FileStatus, in folder: OpenFile) -> FileTimes? {
        let (limits, now) = (configuration.limits, configuration.now())
        let isExpired = limits.isExpired(status.times.written, now: now)
        if isExpired || status.size > limits.maximumBytes, (try? files.remove(fileName, in: folder)) != nil {
            state.withLock { state in
                if isExpired { state.statistics.evictions.expired += 1 } else { state.statistics.evictions.overLimit += 1 }
            }
            return nil
        }
        guard status.times.lastUse > now + Self.clockTolerance else { return status.times }
        let times = FileTimes(lastUse: now, written: status.times.written)
        try? files.setTimes(times, of: fileName, in: folder)
        return times
    }

    /// Removes a temporary file of a process that ended.
    private func removeIfAbandoned(_ name: String, _ status: FileStatus, in folder: OpenFile) {
        guard name.utf8.count == 20, name.hasSuffix(Self.temporarySuffix),
            abs(SystemClock.secondsSince1970() - status.times.written) > Self.temporaryLifetime
        else { return }
        try? files.remove(name, in: folder)
    }
}
