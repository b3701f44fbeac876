internal import ImageCore

internal import CalotypeSystem

/// An open regular file, closed with its last reference. It stays readable when its name is removed.
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

    /// A file to read and to append to; `nil` when it cannot be opened. A symbolic link is not followed, and a pipe is an error; `errno` tells why.
    convenience init?(path: String) {
        self.init(regular: unsafe open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
    }

    /// The same, for a name in an open directory.
    convenience init?(_ name: String, in directory: Int32) {
        self.init(regular: unsafe openat(directory, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
    }

    /// The size in bytes, and the time of the last change, in seconds since 1970.
    var status: (size: Int, changed: Double) {
        var info = stat()
        guard unsafe fstat(descriptor, &info) == 0 else { return (0, 0) }
        return (Int(info.st_size), info.changed)
    }

    /// All the requested bytes from an offset on, or `nil`.
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

    /// Waits until the bytes are on the disk. Returns whether they are.
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
