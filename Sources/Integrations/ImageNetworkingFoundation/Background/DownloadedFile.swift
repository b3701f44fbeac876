internal import ImageCore

internal import CalotypeSystem

/// A regular file that is open; closed with its last reference. It stays readable when its name is gone.
final class DownloadedFile: Sendable {
    private let descriptor: Int32

    private init?(regular descriptor: Int32) {
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        var info = stat()
        guard unsafe fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
            errno = EINVAL
            return nil
        }
    }

    deinit { _ = close(descriptor) }

    /// A file to read and to append to; `nil` where there is none. A symbolic link is not followed, a pipe not waited for; `errno` tells why.
    convenience init?(path: String) {
        self.init(regular: unsafe open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
    }

    /// The same, in a directory; or a new file there, where there must be none.
    convenience init?(_ name: String, in directory: Int32, isNew: Bool = false) {
        let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (isNew ? O_CREAT | O_EXCL : 0)
        self.init(regular: unsafe openat(directory, name, flags, 0o600))
    }

    /// Bytes, and when they were last changed, in seconds since 1970.
    var status: (size: Int, changed: Double) {
        var info = stat()
        guard unsafe fstat(descriptor, &info) == 0 else { return (0, 0) }
        return (Int(info.st_size), info.changed)
    }

    /// Bytes from an offset on: all that were asked for, or `nil`.
    func read(_ count: Int, at offset: Int) -> Data? {
        var data = Data(count: count)
        let isWhole = unsafe data.withUnsafeMutableBytes { bytes in
            var done = 0
            while done < count {
                let got = unsafe pread(descriptor, bytes.baseAddress.map { unsafe $0 + done }, count - done, off_t(offset + done))
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { return false }
                done += got
            }
            return true
        }
        return isWhole ? data : nil
    }

    /// Writes bytes at an offset, and returns whether all of them were.
    func write(_ data: Data, at offset: Int) -> Bool {
        unsafe data.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let put = unsafe pwrite(
                    descriptor, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done, off_t(offset + done))
                if put < 0, errno == EINTR { continue }
                guard put > 0 else { return false }
                done += put
            }
            return true
        }
    }

    /// Whether the bytes are on the disk now.
    func sync() -> Bool { fsync(descriptor) == 0 }
}

extension stat {
    /// In seconds since 1970.
    var changed: Double {
        #if canImport(Darwin)
            Double(st_mtimespec.tv_sec)
        #else
            Double(st_mtim.tv_sec)
        #endif
    }
}
