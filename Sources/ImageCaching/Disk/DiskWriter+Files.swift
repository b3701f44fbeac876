internal import ImageCore

internal import CalotypeSystem

// Writing and removing the files of entries.
extension DiskWriter {
    static let temporarySuffix = ".tmp"

    /// Writes all pending changes, without enforcing the limits.
    func writePending() {
        guard state.withLock({ $0.phase }) == .open else { return }
        var home: OpenFile?
        while let (name, pending) = state.withLock({ $0.nextChange() }) {
            perform(pending, on: name, in: &home)
            state.withLock { $0.settle(name, number: pending.number) }
        }
    }

    /// Writes the times of the last uses to the files of the entries.
    func writeUses() {
        let uses = state.withLock { $0.takeUses() }
        guard !uses.isEmpty, let home = try? openHome() else { return }
        for (number, uses) in Dictionary(grouping: uses, by: \.key.folder) {
            guard let folder = home.subdirectory(EntryName.folderName(number)) else { continue }
            for (name, time) in uses {
                let fileName = name.fileName
                guard let status = folder.status(of: fileName), status.isOwnFile else { continue }
                let times = FileTimes(lastUse: time, written: status.times.written)
                do { try files.setTimes(times, of: fileName, in: folder) } catch { if !error.isMissing { report(error) } }
            }
        }
    }

    /// Performs a change. If an entry cannot be stored, removes the old one, which is outdated.
    private func perform(_ pending: DiskState.Pending, on name: EntryName, in home: inout OpenFile?) {
        hasUnsyncedFiles = true
        for isFirst in [true, false] {
            do {
                let open = if let home { home } else { try openHome() }
                home = open
                return try write(pending, of: name, in: files.openDirectory(EntryName.folderName(name.folder), in: open))
            } catch {
                // Another process may have removed the directory since it was opened.
                if isFirst, error.isMissing {
                    home = nil
                    continue
                }
                // Something else may have the name of the folder or the file. A directory with files cannot be removed.
                if let home { removeAnything(of: name, in: home) }
                if isFirst, error.isWrongKind { continue }
                report(error)
                if pending.entry != nil { state.withLock { $0.statistics.refusals += 1 } }
                return
            }
        }
    }

    private func removeAnything(of name: EntryName, in home: OpenFile) {
        let folder = EntryName.folderName(name.folder)
        if let folder = home.subdirectory(folder) {
            try? removeFile(of: name, in: folder)
        } else {
            try? files.remove(folder, in: home)
        }
    }

    private func write(_ pending: DiskState.Pending, of name: EntryName, in folder: OpenFile) throws(FileFailure) {
        guard let entry = pending.entry else {
            if let written = pending.invalidWrite, folder.status(of: name.fileName)?.times.written != written { return }
            return try removeFile(of: name, in: folder)
        }
        let head = ResponseHeaderCoding.encode(entry.head) ?? []
        let file = EntryFile(name: name, head: head, body: entry.data)
        guard !head.isEmpty, file.length <= configuration.limits.maximumBytes else {
            state.withLock { $0.statistics.refusals += 1 }
            return try removeFile(of: name, in: folder)
        }
        var isWritten = false
        if pending.isUpdate { isWritten = try replaceHead(head, of: entry, file, in: folder) }
        if isWritten {
            try files.setTimes(pending.times, of: name.fileName, in: folder)
        } else {
            try writeFile(file, head: head, entry, pending.times, in: folder)
        }
        state.withLock { $0.statistics.stores += 1 }
    }

    private func writeFile(
        _ file: EntryFile, head: [UInt8], _ entry: DataEntry, _ times: FileTimes, in folder: OpenFile
    ) throws(FileFailure) {
        let fileName = file.name.fileName
        let temporary = UInt64.random(in: .min ... .max).hexDigits + Self.temporarySuffix
        let new = try files.createFile(temporary, in: folder)
        let old = folder.fileSize(of: fileName)
        do throws(FileFailure) {
            let prefix = file.prefix(head: head, storedAt: entry.storedAt)
            try unsafe prefix.withUnsafeBytes { unsafe result(of: $0, to: new, at: 0) }.get()
            try unsafe entry.data.withUnsafeBytes { unsafe result(of: $0, to: new, at: prefix.count) }.get()
            try new.syncIfAlone()
            try files.setTimes(times, of: temporary, in: folder)
            try files.rename(temporary, to: fileName, in: folder)
        } catch {
            try? files.remove(temporary, in: folder)
            throw error
        }
        state.withLock { $0.usage.change(file.name.folder, from: old, to: Int64(file.length), at: times.written) }
    }

    /// Replaces the response headers in the file of an entry; returns `false` if the file has another body or no room
    /// for them.
    private func replaceHead(
        _ head: [UInt8], of entry: DataEntry, _ expected: EntryFile, in folder: OpenFile
    ) throws(FileFailure) -> Bool {
        guard let file = try? OpenFile(opening: expected.name.fileName, in: folder, flags: O_RDWR),
            // The other name may be that of a copy which must not change.
            let status = file.status, status.isOwnFile, status.hasOneName,
            let found = EntryFile(file.start(EntryFile.headerLength), name: expected.name, fileSize: status.size),
            found.bodyLength == expected.bodyLength, found.bodyChecksum == expected.bodyChecksum,
            let (offset, bytes) = found.replacement(
                head: head, storedAt: entry.storedAt, prefix: file.start(found.bodyStart))
        else { return false }
        try unsafe bytes.withUnsafeBytes { unsafe result(of: $0, to: file, at: offset) }.get()
        try file.syncIfAlone()
        return true
    }

    /// Returns a result, since the standard library's `withUnsafeBytes` does not rethrow typed errors.
    private func result(of bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int) -> Result<Void, FileFailure> {
        do { return .success(unsafe try files.write(bytes, to: file, at: offset)) } catch { return .failure(error) }
    }

    /// Removes the file of an entry, if there is one.
    func removeFile(of name: EntryName, in folder: OpenFile) throws(FileFailure) {
        let old = folder.fileSize(of: name.fileName)
        do {
            try files.remove(name.fileName, in: folder)
            state.withLock { $0.usage.change(name.folder, from: old, to: nil) }
        } catch {
            if !error.isMissing { throw error }
        }
    }
}
