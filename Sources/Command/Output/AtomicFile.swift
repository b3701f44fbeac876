internal import ImageCore

internal import CalotypeSystem

/// Writes a file so that no reader ever sees half of it: into a new file beside it, which then takes its name.
enum AtomicFile {
    /// Writes `data` to `path`, replacing a file that is there. A file of the same owner keeps its permissions, but never its
    /// setuid, setgid and sticky bits: the new content is not the program that was given them. A symbolic link is followed.
    /// Devices and pipes are written to as they are, and so is what is open already, such as a redirected `/dev/stdout`.
    ///
    /// - Parameter followsLinks: `false` for a name that the user did not choose. A link, a device or a pipe of that name is then
    ///   replaced: the one who put it there must not choose what is written to.
    /// - Throws: ``ImageError`` (`fileUnwritable`) with the system's reason; no new file stays behind.
    static func write(_ data: Data, to path: String, followsLinks: Bool = true) throws(ImageError) {
        try write(to: path, followsLinks: followsLinks) { file in try unsafe data.withUnsafeBytes { try unsafe file.append($0) } }
    }

    /// The same with what `fill` writes. Where that throws, no new file stays behind, and the error is passed on.
    static func write(
        to path: String, followsLinks: Bool = true, fill: (borrowing OpenFile) throws -> Void
    ) throws(ImageError) {
        var info = stat()
        let exists = unsafe (followsLinks ? stat(path, &info) : lstat(path, &info)) == 0
        let kind = info.st_mode & mode_t(S_IFMT)
        if exists, kind == mode_t(S_IFDIR) { throw failure(EISDIR) }
        if exists, followsLinks, kind != mode_t(S_IFREG) || isOpenAlready(path) { return try append(to: path, fill) }

        let final = exists && followsLinks ? resolved(path) : path
        let temporary = sibling(of: final)
        guard Leftovers.add(file: temporary) else { throw failure(EINTR) }
        defer { Leftovers.forget(file: temporary) }
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failure(errno) }
        if exists, kind == mode_t(S_IFREG) { keepMode(of: info, on: descriptor) }
        do throws(ImageError) {
            try complete(descriptor, fill)
            guard unsafe rename(temporary, final) == 0 else { throw failure(errno) }
        } catch {
            _ = unsafe unlink(temporary)
            throw error
        }
    }

    /// Gives a new file the permissions of the file that it replaces. Where that one has another owner, only those that a new file
    /// gets anyway: its mode was set for its owner.
    private static func keepMode(of old: stat, on descriptor: Int32) {
        var mode = old.st_mode & 0o777
        if old.st_uid != geteuid() {
            var new = stat()
            guard unsafe fstat(descriptor, &new) == 0 else { return }
            mode &= new.st_mode
        }
        _ = fchmod(descriptor, mode)
    }

    /// Whether ``write(to:fill:)`` hides an unfinished file from readers. The reader of a pipe gets what was written before an error.
    static func hidesPieces(at path: String) -> Bool {
        var info = stat()
        guard unsafe stat(path, &info) == 0 else { return true }
        let kind = info.st_mode & mode_t(S_IFMT)
        return kind == mode_t(S_IFCHR) || (kind == mode_t(S_IFREG) && !isOpenAlready(path))
    }

    /// Whether a path names a descriptor of this process, directly or by links: the command must not replace the file behind it,
    /// because the program that opened it would still read the old one.
    private static func isOpenAlready(_ path: String) -> Bool {
        var path = path
        // As far as the system follows links, at most.
        for _ in 0..<40 {
            if ["/dev/stdin", "/dev/stdout", "/dev/stderr"].contains(path) { return true }
            if path.hasPrefix("/dev/fd/") || path.hasPrefix("/proc/self/fd/") { return true }
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return false }
            path = target.hasPrefix("/") ? target : URL(filePath: path).deletingLastPathComponent().path + "/" + target
        }
        return false
    }

    private static func append(
        to path: String, _ fill: (borrowing OpenFile) throws -> Void
    ) throws(ImageError) {
        let descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        try complete(descriptor, fill)
    }

    /// Writes and closes; a full disk may only show when the file is closed.
    private static func complete(
        _ descriptor: Int32, _ fill: (borrowing OpenFile) throws -> Void
    ) throws(ImageError) {
        do {
            try fill(OpenFile(descriptor: descriptor))
        } catch {
            _ = close(descriptor)
            throw (error as? ImageError) ?? .wrapping(error, stage: .deliver, source: nil)
        }
        guard close(descriptor) == 0 else { throw failure(errno) }
    }

    /// A file that is being written.
    struct OpenFile: ~Copyable {
        fileprivate let descriptor: Int32

        /// Writes all bytes.
        func append(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
            var written = 0
            while written < bytes.count {
                let count = unsafe systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: bytes[written...]))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw AtomicFile.failure(errno) }
                written += count
            }
        }
    }

    /// A name in the same directory, so that the rename stays on one file system.
    private static func sibling(of path: String) -> String {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        return path[..<slash] + ".calotype-\(getpid())-" + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    private static func resolved(_ path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    fileprivate static func failure(_ code: Int32) -> ImageError {
        ImageError(.fileUnwritable, message: "The file cannot be written: \(unsafe String(cString: strerror(code))).")
    }
}

/// The system's `write`, which `AtomicFile.write` would hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe write(descriptor, bytes.baseAddress, bytes.count)
}
