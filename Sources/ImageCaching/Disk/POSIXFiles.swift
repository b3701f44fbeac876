#if os(Linux)
    internal import CCalotypeDiskIO
#endif
internal import ImageCore

internal import CalotypeSystem

/// An open file or directory. Closed when the last reference is released.
final class OpenFile: Sendable {
    let descriptor: Int32
    let name: String

    /// Opens a file by path or in a directory. Follows a link only if `followsLink` is set, and does not wait for a
    /// pipe.
    init(
        opening name: String, in directory: OpenFile? = nil, flags: Int32 = O_RDONLY, followsLink: Bool = false
    ) throws(FileFailure) {
        let flags = flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW)
        descriptor = unsafe openat(directory?.descriptor ?? AT_FDCWD, name, flags, 0o600)
        self.name = name
        guard descriptor >= 0 else { throw FileFailure(code: errno, operation: "open ", file: name) }
    }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }
}

/// What the cache needs to know of a file.
struct FileStatus: Equatable {
    /// Bytes of the file.
    var size: Int64
    var times: FileTimes
    /// Whether it is a regular file of this user, or of root.
    var isOwnFile: Bool
    /// Whether the file has no other name.
    var hasOneName: Bool

    fileprivate init(_ info: stat) {
        size = Int64(info.st_size)
        isOwnFile = info.st_mode & S_IFMT == S_IFREG && isOfThisUser(info)
        hasOneName = info.st_nlink == 1
        #if canImport(Darwin)
            let (used, written) = (info.st_atimespec, info.st_mtimespec)
        #else
            let (used, written) = (info.st_atim, info.st_mtim)
        #endif
        times = FileTimes(lastUse: used.seconds, written: written.seconds)
    }
}

private func isOfThisUser(_ info: stat) -> Bool { [0, geteuid()].contains(info.st_uid) }

// Reading, which tests need not replace.
extension OpenFile {
    #if os(Linux)
        /// Reading an entry must not change its time of access, which is that of its last use.
        static let readFlags = O_RDONLY | clt_no_access_time
    #else
        static let readFlags = O_RDONLY
    #endif

    /// Opens a directory in this one; `nil` if there is none.
    func subdirectory(_ name: String) -> OpenFile? {
        try? OpenFile(opening: name, in: self, flags: O_RDONLY | O_DIRECTORY)
    }

    /// Whether a path leads to a directory, and not to a link.
    static func isDirectory(_ path: String) -> Bool {
        var info = stat()
        return unsafe lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
    }

    var status: FileStatus? {
        var info = stat()
        return unsafe fstat(descriptor, &info) == 0 ? FileStatus(info) : nil
    }

    /// The status of a file in this directory. Does not follow a link.
    func status(of name: String) -> FileStatus? {
        var info = stat()
        return unsafe fstatat(descriptor, name, &info, AT_SYMLINK_NOFOLLOW) == 0 ? FileStatus(info) : nil
    }

    /// The size of an entry's file in this directory; `nil` if there is none.
    func fileSize(of name: String) -> Int64? { status(of: name).flatMap { $0.isOwnFile ? $0.size : nil } }

    /// The first bytes of the file, fewer only if the file ends.
    func start(_ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            done = unsafe read(into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    /// Fills a buffer from the start of the file.
    ///
    /// - Parameter mayBlock: whether to wait for the disk; otherwise only what is in the page cache is read.
    /// - Returns: whether the buffer was filled.
    func fill(_ buffer: UnsafeMutableRawBufferPointer, mayBlock: Bool) -> Bool {
        if mayBlock { return unsafe read(into: buffer) == buffer.count }
        #if os(Linux)
            return unsafe clt_read_cached(descriptor, buffer.baseAddress, buffer.count, 0) == buffer.count
        #else
            return false
        #endif
    }

    /// Reads from the start until the buffer is full, the file ends or an error occurs; returns the number of bytes.
    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var done = 0
        while done < buffer.count {
            let count = unsafe pread(descriptor, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done, off_t(done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            done += count
        }
        return done
    }

    /// Makes a file durable where the system cannot sync a whole file system at once, as ``FileSystem/sync(_:)`` does.
    func syncIfAlone() throws(FileFailure) {
        #if !os(Linux)
            guard fsync(descriptor) == 0 else { throw FileFailure(code: errno, operation: "sync \(name)") }
        #endif
    }

    /// Calls `body` with each name in this directory, except `.` and `..`.
    func forEachName(_ body: (String) -> Void) throws(FileFailure) {
        // A directory stream closes its descriptor and moves its position, so it needs a separate one.
        let descriptor = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, let stream = unsafe fdopendir(descriptor) else {
            let failure = FileFailure(code: errno, operation: "list \(name)")
            if descriptor >= 0 { _ = close(descriptor) }
            throw failure
        }
        defer { _ = unsafe closedir(stream) }
        guard let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
        while let item = unsafe readdir(stream) {
            // Read up to the zero: the declared array of the name is longer than the item.
            let start = unsafe (UnsafeRawPointer(item) + nameOffset).assumingMemoryBound(to: CChar.self)
            let name = unsafe String(cString: start)
            if name != ".", name != ".." { body(name) }
        }
    }
}

extension timespec {
    fileprivate var seconds: Double { Double(tv_sec) + Double(tv_nsec) / 1e9 }

    /// A time that any file system can store.
    fileprivate init(seconds: Double) {
        let whole = seconds.isFinite ? min(max(0, seconds.rounded(.down)), 1e11) : 0
        let rest = seconds.isFinite ? min(max(0, (seconds - whole) * 1e9), 999_999_999) : 0
        self.init(tv_sec: time_t(clamping: Int64(whole)), tv_nsec: Int(rest))
    }
}

enum SystemError {
    static func text(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}

extension FileFailure {
    /// The file or a directory above it does not exist.
    var isMissing: Bool { code == ENOENT }
    /// The name exists, but is not the expected kind of file, or is a directory with files.
    var isWrongKind: Bool { [EEXIST, ELOOP, EISDIR, ENOTDIR, ENOTEMPTY, EMLINK].contains(code) }
}

/// The real file system.
struct POSIXFiles: FileSystem {
    func openDirectory(path: String) throws(FileFailure) -> OpenFile {
        var made = ""
        // Other users may have created a directory or a link in a directory that all users can write to, such as /tmp.
        var isBelowAll = false
        for part in path.split(separator: "/") {
            made += "/" + part
            if unsafe mkdir(made, 0o700) != 0 {
                let failure = FileFailure(code: errno, operation: "create the directory \(made)")
                // A system may check permissions before it finds that the directory exists.
                if failure.code != EEXIST, unsafe access(made, F_OK) != 0 { throw failure }
            }
            var info = stat()
            if isBelowAll, unsafe lstat(made, &info) == 0, !isOfThisUser(info) { throw foreign(made) }
            isBelowAll = unsafe stat(made, &info) == 0 && info.st_mode & S_IWOTH != 0
        }
        // The user may link the directory to another place. In it, no link is followed.
        let directory = try OpenFile(opening: path, flags: O_RDONLY | O_DIRECTORY, followsLink: true)
        try checkPrivate(directory)
        return directory
    }

    func openDirectory(_ name: String, in directory: OpenFile) throws(FileFailure) -> OpenFile {
        let opened: OpenFile
        do {
            opened = try OpenFile(opening: name, in: directory, flags: O_RDONLY | O_DIRECTORY)
        } catch {
            guard error.isMissing else { throw error }
            if unsafe mkdirat(directory.descriptor, name, 0o700) != 0, errno != EEXIST {
                throw FileFailure(code: errno, operation: "create the directory \(name)")
            }
            opened = try OpenFile(opening: name, in: directory, flags: O_RDONLY | O_DIRECTORY)
        }
        try checkPrivate(opened)
        return opened
    }

    /// Checks that no other user can write to the directory, since that user would decide what the cache returns.
    private func checkPrivate(_ directory: OpenFile) throws(FileFailure) {
        var info = stat()
        guard unsafe fstat(directory.descriptor, &info) == 0 else {
            throw FileFailure(code: errno, operation: "read the status of the directory \(directory.name)")
        }
        guard isOfThisUser(info) else { throw foreign(directory.name) }
        // On systems where each user has a private group, new directories are writable by that group.
        let isOpenToGroup = info.st_mode & S_IWGRP != 0 && info.st_gid != getegid()
        guard info.st_mode & S_IWOTH == 0, !isOpenToGroup else {
            throw FileFailure(code: EPERM, operation: "use \(directory.name), which other users can write to")
        }
    }

    private func foreign(_ path: String) -> FileFailure {
        FileFailure(code: EPERM, operation: "use \(path), which belongs to another user")
    }

    func createFile(_ name: String, in directory: OpenFile) throws(FileFailure) -> OpenFile {
        try OpenFile(opening: name, in: directory, flags: O_RDWR | O_CREAT | O_EXCL)
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int) throws(FileFailure) {
        let error = unsafe WholeWrite.run(bytes) { rest, written in
            unsafe pwrite(file.descriptor, rest.baseAddress, rest.count, off_t(offset + written))
        }
        if let error { throw FileFailure(code: error, operation: "write to \(file.name)") }
    }

    func setTimes(_ times: FileTimes, of name: String, in directory: OpenFile) throws(FileFailure) {
        let both = [timespec(seconds: times.lastUse), timespec(seconds: times.written)]
        guard unsafe utimensat(directory.descriptor, name, both, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw FileFailure(code: errno, operation: "set the times of \(name)")
        }
    }

    func rename(_ name: String, to newName: String, in directory: OpenFile) throws(FileFailure) {
        guard unsafe renameat(directory.descriptor, name, directory.descriptor, newName) == 0 else {
            throw FileFailure(code: errno, operation: "rename \(name) to \(newName)")
        }
    }

    func remove(_ name: String, in directory: OpenFile) throws(FileFailure) {
        if unsafe unlinkat(directory.descriptor, name, 0) == 0 { return }
        let failure = FileFailure(code: errno, operation: "remove \(name)")
        // The systems differ in the error for a directory.
        guard [EISDIR, EPERM].contains(failure.code) else { throw failure }
        guard unsafe unlinkat(directory.descriptor, name, AT_REMOVEDIR) == 0 else {
            throw FileFailure(code: errno, operation: "remove \(name)")
        }
    }

    func sync(_ directory: OpenFile) throws(FileFailure) {
        #if canImport(Darwin)
            // Writes everything that the drive has accepted from any process, which includes each file that was synced.
            let isSynced = fcntl(directory.descriptor, F_FULLFSYNC) != -1
        #elseif os(Linux)
            let isSynced = clt_sync_file_system(directory.descriptor) == 0
        #else
            let isSynced = fsync(directory.descriptor) == 0
        #endif
        guard isSynced else { throw FileFailure(code: errno, operation: "sync \(directory.name)") }
    }
}
