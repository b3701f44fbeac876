internal import ImageCore

internal import CalotypeSystem

/// Writes a file that no reader ever sees incomplete: into a temporary file in the same directory, which is then
/// renamed.
enum AtomicFile {
    /// Writes `data` to `path`, and replaces an existing file. If the owner is the same, the new file keeps the
    /// permissions, but not the setuid, setgid and sticky bits, which were granted to the old content. A symbolic link
    /// is followed. Devices, pipes and files that are already open, such as a redirected `/dev/stdout`, are written to
    /// directly.
    ///
    /// - Parameter followsLinks: `false` for a name that the user did not choose. A link, a device or a pipe of that
    ///   name is then replaced, so that another user who created it cannot redirect the output.
    /// - Throws: ``ImageError`` (`fileUnwritable`) with the system's reason; the temporary file is removed.
    static func write(_ data: Data, to path: String, followsLinks: Bool = true) throws(ImageError) {
        var info = stat()
        let exists = unsafe (followsLinks ? stat(path, &info) : lstat(path, &info)) == 0
        let kind = info.st_mode & mode_t(S_IFMT)
        if exists, kind == mode_t(S_IFDIR) { throw failure(EISDIR) }
        if exists, followsLinks, kind != mode_t(S_IFREG) || namesDescriptor(path) { return try append(data, to: path) }

        let final = exists && followsLinks ? resolved(path) : path
        let temporary = sibling(of: final)
        guard ExitCleanup.add(file: temporary) else { throw failure(EINTR) }
        defer { ExitCleanup.remove(file: temporary) }
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failure(errno) }
        if exists, kind == mode_t(S_IFREG) { copyMode(of: info, to: descriptor) }
        do throws(ImageError) {
            try complete(descriptor, data)
            guard unsafe rename(temporary, final) == 0 else { throw failure(errno) }
        } catch {
            _ = unsafe unlink(temporary)
            throw error
        }
    }

    /// Gives the new file the permissions of the file that it replaces. If that file has another owner, the new file
    /// gets no permission beyond the default ones.
    private static func copyMode(of old: stat, to descriptor: Int32) {
        var mode = old.st_mode & 0o777
        if old.st_uid != geteuid() {
            var new = stat()
            guard unsafe fstat(descriptor, &new) == 0 else { return }
            mode &= new.st_mode
        }
        _ = fchmod(descriptor, mode)
    }

    /// Whether a path is an open descriptor of this process, or a link to one. The file behind it must not be replaced,
    /// because the program that opened it would keep the old file.
    private static func namesDescriptor(_ path: String) -> Bool {
        var path = path
        // Linux follows at most 40 links.
        for _ in 0..<40 {
            if ["/dev/stdin", "/dev/stdout", "/dev/stderr"].contains(path) { return true }
            if path.hasPrefix("/dev/fd/") || path.hasPrefix("/proc/self/fd/") { return true }
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return false }
            path = target.hasPrefix("/") ? target : URL(filePath: path).deletingLastPathComponent().path + "/" + target
        }
        return false
    }

    private static func append(_ data: Data, to path: String) throws(ImageError) {
        let descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        try complete(descriptor, data)
    }

    /// Writes and closes. Some file systems report a full disk only when the file is closed.
    private static func complete(_ descriptor: Int32, _ data: Data) throws(ImageError) {
        let error = unsafe data.withUnsafeBytes { unsafe writeAll($0, to: descriptor) }
        let isClosed = close(descriptor) == 0
        if let code = error ?? (isClosed ? nil : errno) { throw failure(code) }
    }

    /// A new name in the same directory, so that the rename stays on one file system.
    private static func sibling(of path: String) -> String {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        return path[..<slash] + ".calotype-\(getpid())-" + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    private static func resolved(_ path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    private static func failure(_ code: Int32) -> ImageError {
        ImageError(.fileUnwritable, message: "The file cannot be written: \(unsafe String(cString: strerror(code))).")
    }
}
