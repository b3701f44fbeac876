internal import CalotypeSystem
internal import HTTPTypes
public import ImageCore

/// Loads `file` URLs as a stream of chunks.
///
/// Only regular files are read: a directory, a pipe or a device is an error at once. Each chunk is read on demand, so a
/// reader that stops costs no more than an open file. The file is read up to its length at the time when it was opened;
/// if it becomes shorter, the load fails.
public struct FileLoader: DataLoading {
    /// The largest file, in bytes, where the request sets no limit; ``ResponseLimit/standard``.
    public var maximumResponseBytes: Int
    /// The length of a chunk, in bytes; 256 KB. A smaller file is one chunk.
    public var chunkSize: Int

    /// Makes a loader.
    public init(maximumResponseBytes: Int = ResponseLimit.standard, chunkSize: Int = 256 << 10) {
        self.maximumResponseBytes = maximumResponseBytes
        self.chunkSize = max(1, chunkSize)
    }

    /// Opens the file.
    ///
    /// - Throws: ``ImageError``: `invalidRequest` for a URL without a path on this machine, `fileUnreadable` when the
    ///   file is missing, forbidden or not a regular file, `tooLarge`; or `CancellationError`.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        try Task.checkCancellation()
        let file = try FileReader(Self.path(of: request.url), limit: request.maximumResponseBytes ?? maximumResponseBytes)
        if file.byteCount <= chunkSize {
            return DataResponse(url: request.url, body: ByteStream(try file.next(file.byteCount) ?? Data()))
        }
        let chunkSize = chunkSize
        var head = HTTPResponse(status: .ok)
        head.headerFields[.contentLength] = String(file.byteCount)
        return DataResponse(
            url: request.url, head: head,
            body: ByteStream {
                try Task.checkCancellation()
                return try file.next(chunkSize)
            })
    }

    /// The size of a file, its number in the file system, and the times at which it and its entry there last changed;
    /// `nil` if there is no such file.
    ///
    /// A file that is written in place twice within a tick of the system's clock, some milliseconds, at the same length
    /// looks like one version.
    public func version(of url: URL) -> String? {
        guard let path = try? Self.path(of: url) else { return nil }
        var status = stat()
        let terminated = path.map(CChar.init(bitPattern:)) + [0]
        let result = unsafe terminated.withUnsafeBufferPointer { name in
            unsafe name.baseAddress.map { unsafe stat($0, &status) } ?? -1
        }
        guard result == 0 else { return nil }
        #if canImport(Darwin)
            let times = [status.st_mtimespec, status.st_ctimespec]
        #else
            let times = [status.st_mtim, status.st_ctim]
        #endif
        return "\(status.st_size) \(status.st_ino) " + times.map { "\($0.tv_sec).\($0.tv_nsec)" }.joined(separator: " ")
    }

    /// A whole file at once. A file longer than a chunk is mapped into memory, so that only the parts in use are read.
    ///
    /// - Throws: ``ImageError`` as ``load(_:)`` does.
    package func contents(of url: URL) throws -> Data { try contents(of: Self.path(of: url)) }

    /// The same for a file's path.
    package func contents(ofFile path: String) throws -> Data { try contents(of: Array(path.utf8)) }

    private func contents(of path: [UInt8]) throws(ImageError) -> Data {
        let file = try FileReader(path, limit: maximumResponseBytes)
        if file.byteCount > chunkSize, let mapped = file.mapped() { return mapped }
        return try file.next(file.byteCount) ?? Data()
    }

    private static func path(of url: URL) throws -> [UInt8] {
        let source = ImageSource.redacted(url)
        guard url.scheme?.lowercased() ?? "file" == "file" else {
            throw ImageError(.unsupportedScheme, message: "\(source) is not a file URL.")
        }
        if let host = url.host(percentEncoded: false), !host.isEmpty, host.lowercased() != "localhost" {
            throw ImageError(.invalidRequest, message: "\(source) is a file on another machine, “\(host)”; copy it to this one.")
        }
        let bytes = PercentEncoding.decode(url.path(percentEncoded: true).utf8)
        guard !bytes.isEmpty, !bytes.contains(0) else {
            throw ImageError(.invalidRequest, message: "\(source) has no valid file path.")
        }
        return bytes
    }
}

/// Reads a regular file from front to back.
private final class FileReader: Sendable {
    let byteCount: Int
    /// The path for messages; its bytes need not be valid UTF-8.
    let path: String
    private let descriptor: Int32
    private let position = Lock(0)

    /// - Parameter limit: the largest length, in bytes.
    init(_ bytes: [UInt8], limit: Int) throws(ImageError) {
        path = String(decoding: bytes, as: UTF8.self)
        let terminated = bytes.map(CChar.init(bitPattern:)) + [0]
        // O_NONBLOCK, because opening a pipe without a writer would wait.
        let descriptor = unsafe terminated.withUnsafeBufferPointer { name in
            unsafe name.baseAddress.map { unsafe open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) } ?? -1
        }
        guard descriptor >= 0 else { throw Self.error(errno, path) }
        var status = stat()
        let result = unsafe fstat(descriptor, &status)
        // From here on, an error closes the file by `deinit`.
        (self.descriptor, byteCount) = (descriptor, Int(status.st_size))
        guard result == 0 else { throw Self.error(errno, path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let kind = status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "a pipe or device"
            throw ImageError(.fileUnreadable, message: "\(path) is \(kind), not a file with an image.")
        }
        guard byteCount <= limit else {
            throw ImageError(
                .tooLarge,
                message:
                    "The file \(path) has \(byteCount) bytes; the limit is \(limit) bytes. Raise maximumResponseBytes to load it."
            )
        }
    }

    deinit { _ = close(descriptor) }

    /// All bytes, in the system's own memory of the file; `nil` where it cannot be mapped.
    func mapped() -> Data? {
        guard let base = unsafe mmap(nil, byteCount, PROT_READ, MAP_PRIVATE, descriptor, 0), unsafe base != MAP_FAILED else {
            return nil
        }
        return unsafe Data(bytesNoCopy: base, count: byteCount, deallocator: .unmap)
    }

    /// The next bytes, at most `count`; `nil` at the end.
    func next(_ count: Int) throws(ImageError) -> Data? {
        let start = position.withLock { position in
            defer { position = min(byteCount, position + count) }
            return position
        }
        let wanted = min(count, byteCount - start)
        guard wanted > 0 else { return nil }
        // `Data` would end the process where there is no memory.
        guard let memory = unsafe malloc(wanted) else {
            throw ImageError(.tooLarge, message: "There is not enough memory for \(wanted) bytes of the file \(path).")
        }
        do throws(ImageError) {
            try unsafe read(into: UnsafeMutableRawBufferPointer(start: memory, count: wanted), at: start)
        } catch {
            unsafe free(memory)
            throw error
        }
        // Only when the bytes are there: `Data` copies a few bytes at once, and frees the memory.
        return unsafe Data(bytesNoCopy: memory, count: wanted, deallocator: .free)
    }

    private func read(into bytes: UnsafeMutableRawBufferPointer, at start: Int) throws(ImageError) {
        var filled = 0
        while filled < bytes.count {
            let got = unsafe pread(
                descriptor, bytes.baseAddress.map { unsafe $0 + filled }, bytes.count - filled, off_t(start + filled))
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw Self.error(errno, path) }
            guard got > 0 else {
                throw ImageError(.fileUnreadable, message: "The file \(path) became shorter while it was read.")
            }
            filled += got
        }
    }

    private static func error(_ code: Int32, _ path: String) -> ImageError {
        let what =
            switch code {
            case ENOENT, ENOTDIR: "There is no file \(path)."
            case EACCES, EPERM: "The file \(path) may not be read; check its permissions."
            case ELOOP: "The file \(path) is part of a circle of symbolic links."
            case ENAMETOOLONG: "The path \(path.prefix(40))… is too long."
            case EMFILE, ENFILE: "The file \(path) cannot be opened: too many files are open."
            default: "The file \(path) cannot be read."
            }
        return ImageError(.fileUnreadable, message: what, causes: ["system error \(code)"])
    }
}
