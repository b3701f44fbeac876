internal import Foundation
internal import ImageCore

internal import CalotypeSystem

/// An open regular file, closed with its last reference. It stays readable when its name is removed.
final class DownloadedFile: Sendable {
    private let handle: Lock<FileHandle>

    /// A file to read and to append to; `nil` when it cannot be opened. A symbolic link is not followed, and a pipe is
    /// an error; `errno` tells why.
    ///
    /// - Parameter directory: the open directory from which a relative path counts.
    init?(path: String, in directory: Int32 = AT_FDCWD) {
        let descriptor = unsafe openat(directory, path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        handle = Lock(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
        var info = stat()
        guard unsafe fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
            errno = EINVAL
            return nil
        }
    }

    /// The size in bytes, and the time of the last change, in seconds since 1970.
    var status: (size: Int, changed: Double) {
        var info = stat()
        let isKnown = handle.withLock { unsafe fstat($0.fileDescriptor, &info) == 0 }
        return isKnown ? (Int(info.st_size), info.changed) : (0, 0)
    }

    /// All the requested bytes from an offset on, or `nil`.
    func read(_ count: Int, at offset: Int) -> Data? {
        handle.withLock { handle in
            guard (try? handle.seek(toOffset: UInt64(offset))) != nil else { return nil }
            let data = (try? handle.read(upToCount: count)) ?? Data()
            return data.count == count ? data : nil
        }
    }

    /// Writes bytes at an offset and waits until they are on the disk. Returns whether all of them are.
    func write(_ data: Data, at offset: Int) -> Bool {
        handle.withLock { handle in
            do {
                try handle.seek(toOffset: UInt64(offset))
                try handle.write(contentsOf: data)
                try handle.synchronize()
                return true
            } catch {
                return false
            }
        }
    }
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
