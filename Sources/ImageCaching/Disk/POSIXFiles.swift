internal import CCalotypeDiskIO
internal import ImageCore

internal import CalotypeSystem

/// An open file or directory. Closed when the last reference is released.
final class OpenFile: Sendable {
    let descriptor: Int32
    let name: String
    /// Whether the file is in a file system in memory, so that reading never waits.
    let isInMemory: Bool

    init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
        isInMemory = calotype_is_in_memory(descriptor)
    }

    deinit { _ = close(descriptor) }

    /// The size in bytes, and the number of names of the file: 0 after it was removed.
    var status: (size: Int, links: Int)? {
        var info = stat()
        guard unsafe fstat(descriptor, &info) == 0 else { return nil }
        return (Int(info.st_size), Int(info.st_nlink))
    }

    /// Reads at an offset until the buffer is full or the file ends.
    ///
    /// - Returns: the number of bytes; `nil` for a failure, whose number is in `errno`.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int? {
        var done = 0
        while done < buffer.count {
            let count = unsafe pread(
                descriptor, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done, off_t(offset + done))
            if count < 0, errno == EINTR { continue }
            if count < 0 { return nil }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Fills a buffer with the bytes at an offset.
    ///
    /// - Parameter mayBlock: whether to wait for the disk; otherwise only what is in the page cache is read.
    /// - Returns: whether the buffer was filled.
    func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int, mayBlock: Bool) -> Bool {
        if mayBlock || isInMemory { return unsafe read(into: buffer, at: offset) == buffer.count }
        return unsafe calotype_read_cached(descriptor, buffer.baseAddress, buffer.count, Int64(offset)) == buffer.count
    }
}

enum SystemError {
    static func text(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}

/// The real file system.
struct POSIXFiles: FileSystem {
    func openDirectory(path: String) throws(FileFailure) -> OpenFile {
        var made = ""
        // Other users may have created a directory or a link in a directory that all users can write to, such as /tmp.
        var isBelowAll = false
        for part in path.split(separator: "/") {
            made += "/" + part
            if unsafe mkdir(made, 0o700) != 0, errno != EEXIST, unsafe access(made, F_OK) != 0 {
                throw FileFailure(operation: "create the directory \(made)", code: errno)
            }
            var info = stat()
            if isBelowAll, unsafe lstat(made, &info) == 0, !isOfThisUser(info) { throw foreign(made) }
            isBelowAll = unsafe stat(made, &info) == 0 && info.st_mode & S_IWOTH != 0
        }
        let file = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { throw FileFailure(operation: "open the directory \(path)", code: errno) }
        let directory = OpenFile(descriptor: file, name: path)
        try checkPrivate(directory)
        return directory
    }

    /// Checks that no other user can write to the directory, since that user would decide what the cache returns.
    private func checkPrivate(_ directory: OpenFile) throws(FileFailure) {
        var info = stat()
        guard unsafe fstat(directory.descriptor, &info) == 0 else {
            throw FileFailure(operation: "read the status of the directory \(directory.name)", code: errno)
        }
        guard isOfThisUser(info) else { throw foreign(directory.name) }
        // On systems where each user has a private group, new directories are writable by that group.
        let isOpenToGroup = info.st_mode & S_IWGRP != 0 && info.st_gid != getegid()
        guard info.st_mode & S_IWOTH == 0, !isOpenToGroup else {
            throw FileFailure(operation: "use \(directory.name), which other users can write to", code: EPERM)
        }
    }

    private func isOfThisUser(_ info: stat) -> Bool { [0, geteuid()].contains(info.st_uid) }

    private func foreign(_ path: String) -> FileFailure {
        FileFailure(operation: "use \(path), which belongs to another user", code: EPERM)
    }

    func openDirectory(_ name: String, in directory: OpenFile) throws(FileFailure) -> OpenFile {
        if unsafe mkdirat(directory.descriptor, name, 0o700) != 0, errno != EEXIST {
            throw FileFailure(operation: "create the directory \(name)", code: errno)
        }
        let file = unsafe openat(directory.descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { throw FileFailure(operation: "open the directory \(name)", code: errno) }
        let opened = OpenFile(descriptor: file, name: name)
        try checkPrivate(opened)
        return opened
    }

    func openFile(_ name: String, in directory: OpenFile, _ mode: OpenMode) throws(FileFailure) -> OpenFile {
        // O_NONBLOCK: opening a named pipe must not block.
        var flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        switch mode {
        case .existing: break
        case .existingOrNew: flags |= O_CREAT
        case .new: flags |= O_CREAT | O_EXCL
        }
        let descriptor = unsafe openat(directory.descriptor, name, flags, 0o600)
        guard descriptor >= 0 else { throw FileFailure(operation: "open \(name)", code: errno) }
        let file = OpenFile(descriptor: descriptor, name: name)
        var info = stat()
        guard unsafe fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
            throw FileFailure(operation: "open \(name), which is not a regular file", code: EINVAL)
        }
        return file
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int) throws(FileFailure) {
        var done = 0
        while done < bytes.count {
            let count = unsafe pwrite(
                file.descriptor, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done, off_t(offset + done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileFailure(operation: "write to \(file.name)", code: count < 0 ? errno : ENOSPC) }
            done += count
        }
    }

    func read(_ count: Int, from file: OpenFile, at offset: Int) throws(FileFailure) -> [UInt8] {
        var code: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            let read = unsafe file.read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            if read == nil { code = errno }
            done = read ?? 0
        }
        guard code == 0 else { throw FileFailure(operation: "read \(file.name)", code: code) }
        return bytes
    }

    func truncate(_ file: OpenFile, to length: Int) throws(FileFailure) {
        guard ftruncate(file.descriptor, off_t(length)) == 0 else {
            throw FileFailure(operation: "shorten \(file.name)", code: errno)
        }
    }

    func sync(_ file: OpenFile) throws(FileFailure) {
        guard fsync(file.descriptor) == 0 else { throw FileFailure(operation: "sync \(file.name)", code: errno) }
    }

    func rename(_ name: String, to newName: String, in directory: OpenFile) throws(FileFailure) {
        guard unsafe renameat(directory.descriptor, name, directory.descriptor, newName) == 0 else {
            throw FileFailure(operation: "rename \(name) to \(newName)", code: errno)
        }
    }

    func remove(_ name: String, in directory: OpenFile) throws(FileFailure) {
        if unsafe unlinkat(directory.descriptor, name, 0) == 0 { return }
        // The systems differ in the error for a directory.
        let isDirectory = [EISDIR, EPERM].contains(errno)
        guard isDirectory, unsafe unlinkat(directory.descriptor, name, AT_REMOVEDIR) == 0 else {
            throw FileFailure(operation: "remove \(name)", code: errno)
        }
    }

    func names(in directory: OpenFile, limit: Int) throws(FileFailure) -> [String] {
        // A directory stream closes its descriptor and moves its position, so it needs a separate one.
        let descriptor = unsafe openat(directory.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, let stream = unsafe fdopendir(descriptor) else {
            let code = errno
            if descriptor >= 0 { _ = close(descriptor) }
            throw FileFailure(operation: "list \(directory.name)", code: code)
        }
        defer { _ = unsafe closedir(stream) }
        guard let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
        var found: [String] = []
        while found.count < limit, let item = unsafe readdir(stream) {
            // Read up to the zero: the declared array of the name is longer than the item.
            let start = unsafe (UnsafeRawPointer(item) + nameOffset).assumingMemoryBound(to: CChar.self)
            let name = unsafe String(cString: start)
            if name != ".", name != ".." { found.append(name) }
        }
        return found
    }

    func tryLock(_ file: OpenFile) throws(FileFailure) -> Bool {
        while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw FileFailure(operation: "lock \(file.name)", code: errno) }
        }
        return true
    }

    func unlock(_ file: OpenFile) { _ = flock(file.descriptor, LOCK_UN) }

    func pause(seconds: Double) { usleep(UInt32(seconds * 1e6)) }
}
