import Foundation
import ImageCore

/// An open archive and its directory, which alone says where an entry is and how long it is (PKWARE's APPNOTE.TXT,
/// section 4.3).
///
/// An archive ends with the directory, which is a header and a name for each entry, and with the end record, which has
/// the length and the offset of the directory. Numbers have their least significant byte first.
struct Archive: Sendable {
    /// An entry that can be read, and where its data is.
    typealias Entry = (isStored: Bool, byteCount: Int, checksum: Int, range: Range<Int>)

    private let url: URL
    private let file: FileHandle
    /// The headers in the directory, by the names of the entries.
    private var headers: [[UInt8]: [UInt8]] = [:]

    init(_ url: URL) throws {
        self.url = url
        // O_NONBLOCK, because opening a pipe without a writer would wait.
        let descriptor = open(url.path(percentEncoded: false), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw error(.fileUnreadable, "does not exist, is no file, or may not be read")
        }
        // The end record has 22 bytes, and a comment of at most 65,535.
        let tail = try read(min(Int(status.st_size), 65_557), at: max(0, Int(status.st_size) - 65_557))
        let ends = stride(from: tail.count - 22, through: 0, by: -1)
        let end = ends.first { tail.number(4, at: $0) == 0x0605_4B50 && $0 + 22 + tail.number(2, at: $0 + 20) == tail.count }
        guard let end else { throw error(.corrupt, "has no directory") }
        let (count, length, offset) = (tail.number(2, at: end + 10), tail.number(4, at: end + 12), tail.number(4, at: end + 16))
        guard tail.number(4, at: end + 4) == 0, count < 0xFFFF, offset < 0xFFFF_FFFF, length <= 16 << 20 else {
            throw error(.unsupportedFeature, "is of the kind zip64, in several parts, or has a directory of more than 16 MB")
        }
        // Filled up by the length of a header, so that a header that is cut off has no signature.
        let directory = try read(length, at: offset) + [UInt8](repeating: 0, count: 46)
        var at = 0
        for _ in 0..<count {
            let name = at + 46..<at + 46 + directory.number(2, at: at + 28)
            let next = name.upperBound + directory.number(2, at: at + 30) + directory.number(2, at: at + 32)
            guard directory.number(4, at: at) == 0x0201_4B50, next <= length else { throw error(.corrupt, "has a bad directory") }
            // Of two entries with one name the last counts: programs replace an entry by appending another.
            headers[Array(directory[name])] = Array(directory[at..<at + 46])
            at = next
        }
    }

    /// Finds an entry.
    ///
    /// - Parameter limit: the most bytes that it may have when it is inflated.
    func entry(_ name: [UInt8], limit: Int) throws -> Entry {
        guard let header = headers[name] else { throw error(.notFound, "has no such entry") }
        let (flags, method, checksum) = (header.number(2, at: 8), header.number(2, at: 10), header.number(4, at: 16))
        let (length, byteCount, offset) = (header.number(4, at: 20), header.number(4, at: 24), header.number(4, at: 42))
        // Bit 0 says that the data is encrypted, bit 13 that the header is.
        guard flags & 0x2001 == 0 else { throw error(.unsupportedFeature, "has encrypted this entry") }
        guard [0, 8].contains(method) else { throw error(.unsupportedFeature, "compresses this entry by method \(method)") }
        guard max(length, byteCount, offset) < 0xFFFF_FFFF else { throw error(.unsupportedFeature, "is of the kind zip64") }
        guard byteCount <= limit else { throw error(.tooLarge, "has \(byteCount) bytes here; maximumResponseBytes is \(limit)") }
        let local = try read(30, at: offset)
        guard local.number(4, at: 0) == 0x0403_4B50 else { throw error(.corrupt, "has this entry elsewhere than it says") }
        let start = offset + 30 + local.number(2, at: 26) + local.number(2, at: 28)
        return (method == 0, byteCount, checksum, start..<start + length)
    }

    /// Reads a part of the file, wherever a damaged archive says that it is. Several threads may do so at once.
    func read(_ count: Int, at offset: Int) throws -> [UInt8] {
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
            filled = max(0, pread(file.fileDescriptor, bytes.baseAddress, count, off_t(offset)))
        }
        guard bytes.count == count else { throw error(.corrupt, "is shorter than it says, or cannot be read") }
        return bytes
    }

    func error(_ code: ImageError.Code, _ what: String) -> ImageError { ImageError(code, message: "The archive \(url) \(what).") }
}

extension [UInt8] {
    /// A number of so many bytes.
    func number(_ size: Int, at start: Int) -> Int { self[start..<start + size].reversed().reduce(0) { $0 << 8 | Int($1) } }
}
