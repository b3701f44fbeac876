internal import HTTPTypes
internal import ImageCore

internal import CalotypeSystem

/// The format of an entry's file: a header, two slots for the response headers ("head"), and the body. Numbers are
/// little-endian.
///
/// ```
///  0  8    "CALOIMG2"
///  8  32   the key's digest, in four words
/// 40  u64  length of the body
/// 48  u64  XXH64 of the body
/// 56  u32  size of a slot
/// 60  u32  the low half of the XXH64 of the bytes 0..<60
/// 64       slot 0, slot 1, body
/// ```
///
/// A slot:
///
/// ```
///  0  u64  XXH64 of the bytes 8..<24 and the head, seeded with that of the body
///  8  u32  number
/// 12  u32  length of the head
/// 16  f64  when the response arrived, seconds since 1970
/// 24       head, zeros
/// ```
///
/// The valid slot with the higher number counts. New response headers for the same body are written to the other slot,
/// so that a process that ends while it writes leaves the old ones. The file's time of modification is that of the last
/// store, and its time of access that of the last use.
struct EntryFile: Equatable {
    static let headerLength = 64
    private static let magic: UInt64 = 0x3247_4d49_4f4c_4143
    private static let slotHeaderLength = 24

    let name: EntryName
    let bodyLength: Int
    let bodyChecksum: UInt64
    let slotSize: Int

    /// The file of a new entry, whose slots have room for response headers that are half as long again.
    init(name: EntryName, head: [UInt8], body: Data) {
        self.name = name
        bodyLength = body.count
        bodyChecksum = unsafe body.withUnsafeBytes { unsafe Checksum.of($0) }
        slotSize = ((Self.slotHeaderLength + head.count) * 3 / 2 + 63) / 64 * 64
    }

    /// Reads the header; `nil` unless a cache has written it for `name` and the file has the right size.
    init?(_ bytes: [UInt8], name: EntryName, fileSize: Int64) {
        guard let file = unsafe bytes.withUnsafeBytes({ unsafe Self($0, name: name, fileSize: fileSize) }) else { return nil }
        self = file
    }

    init?(_ bytes: UnsafeRawBufferPointer, name: EntryName, fileSize: Int64) {
        guard bytes.count >= Self.headerLength, unsafe bytes.littleEndian(at: 0) == Self.magic,
            unsafe bytes.littleEndian(at: 60) == Self.headerChecksum(bytes),
            (0..<4).allSatisfy({ unsafe bytes.littleEndian(at: 8 + 8 * $0) == name.words[$0] }),
            let bodyLength = unsafe Int(exactly: bytes.littleEndian(at: 40, as: UInt64.self)),
            let slotSize = unsafe Int(exactly: bytes.littleEndian(at: 56, as: UInt32.self)),
            slotSize >= Self.slotHeaderLength, slotSize <= 2 * ResponseHeaderCoding.maximumSize,
            fileSize - Int64(Self.headerLength + 2 * slotSize) == Int64(bodyLength)
        else { return nil }
        self.name = name
        self.bodyLength = bodyLength
        bodyChecksum = unsafe bytes.littleEndian(at: 48)
        self.slotSize = slotSize
    }

    /// Bytes before the body.
    var bodyStart: Int { Self.headerLength + 2 * slotSize }
    /// Bytes of the whole file.
    var length: Int { bodyStart + bodyLength }

    /// The bytes before the body of a new entry.
    func prefix(head: [UInt8], storedAt: Double) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(bodyStart)
        bytes.append(littleEndian: Self.magic)
        for i in 0..<4 { bytes.append(littleEndian: name.words[i]) }
        bytes.append(littleEndian: UInt64(bodyLength))
        bytes.append(littleEndian: bodyChecksum)
        bytes.append(littleEndian: UInt32(slotSize))
        let checksum = unsafe bytes.withUnsafeBytes { unsafe Self.headerChecksum($0) }
        bytes.append(littleEndian: checksum)
        bytes += slot(number: 1, head: head, storedAt: storedAt)
        bytes.append(contentsOf: repeatElement(0, count: bodyStart - bytes.count))
        return bytes
    }

    /// The offset and the bytes of a slot that replaces the response headers; `nil` if they do not fit.
    func replacement(head: [UInt8], storedAt: Double, prefix: [UInt8]) -> (offset: Int, bytes: [UInt8])? {
        guard Self.slotHeaderLength + head.count <= slotSize,
            let (index, number) = unsafe prefix.withUnsafeBytes({ unsafe newestSlot(in: $0) }), number < .max
        else { return nil }
        return (Self.headerLength + (1 - index) * slotSize, slot(number: number + 1, head: head, storedAt: storedAt))
    }

    /// The response headers and the time in the bytes of a file; `nil` if the bytes are damaged.
    func decode(_ bytes: UnsafeRawBufferPointer) -> (head: HTTPResponse, storedAt: Double)? {
        guard bytes.count == length, let (index, _) = unsafe newestSlot(in: bytes),
            unsafe Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[bodyStart...])) == bodyChecksum
        else { return nil }
        let slot = unsafe slot(index, in: bytes)
        let end = unsafe Self.slotHeaderLength + Int(slot.littleEndian(at: 12, as: UInt32.self))
        let storedAt = Double(bitPattern: unsafe slot.littleEndian(at: 16))
        let head = unsafe ResponseHeaderCoding.decode(UnsafeRawBufferPointer(rebasing: slot[Self.slotHeaderLength..<end]))
        return head.map { ($0, storedAt) }
    }

    private func slot(number: UInt32, head: [UInt8], storedAt: Double) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt64(0))
        bytes.append(littleEndian: number)
        bytes.append(littleEndian: UInt32(head.count))
        bytes.append(littleEndian: storedAt.bitPattern)
        bytes += head
        let checksum = unsafe bytes.withUnsafeBytes { unsafe slotChecksum($0) }
        unsafe withUnsafeBytes(of: checksum.littleEndian) { unsafe bytes.replaceSubrange(..<8, with: $0) }
        return bytes
    }

    private func slot(_ index: Int, in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let start = Self.headerLength + index * slotSize
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + slotSize])
    }

    /// The valid slot with the higher number.
    private func newestSlot(in bytes: UnsafeRawBufferPointer) -> (index: Int, number: UInt32)? {
        guard bytes.count >= bodyStart else { return nil }
        let valid = (0..<2).compactMap { index -> (index: Int, number: UInt32)? in
            let slot = unsafe slot(index, in: bytes)
            let count = unsafe Int64(slot.littleEndian(at: 12, as: UInt32.self)) + Int64(Self.slotHeaderLength)
            guard count <= slotSize,
                unsafe slot.littleEndian(at: 0) == slotChecksum(UnsafeRawBufferPointer(rebasing: slot[..<Int(count)]))
            else { return nil }
            return unsafe (index, slot.littleEndian(at: 8))
        }
        return valid.max { $0.number < $1.number }
    }

    private func slotChecksum(_ slot: UnsafeRawBufferPointer) -> UInt64 {
        unsafe Checksum.of(UnsafeRawBufferPointer(rebasing: slot[8...]), seed: bodyChecksum)
    }

    private static func headerChecksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: unsafe Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<60])))
    }
}

/// The result of reading an entry's file.
enum EntryReading {
    case entry(DataEntry, written: Double)
    case missing
    /// Not what a cache has written for the entry, and when it was written, if it is a file.
    case damaged(written: Double?)
    /// The bytes are not in the page cache, and the caller does not wait for the disk.
    case wouldBlock
}

extension OpenFile {
    /// Reads and checks the entry in this file.
    ///
    /// - Parameters:
    ///   - limit: the largest size of a file in bytes; a larger one counts as damaged, before memory is allocated.
    ///   - mayBlock: whether to wait for the disk.
    func entry(named name: EntryName, limit: Int, mayBlock: Bool) -> EntryReading {
        guard let status, status.isOwnFile, status.size >= EntryFile.headerLength, status.size <= limit,
            let memory = unsafe malloc(Int(status.size))
        else { return .damaged(written: status?.times.written) }
        let bytes = unsafe UnsafeMutableRawBufferPointer(start: memory, count: Int(status.size))
        let isRead = unsafe fill(bytes, mayBlock: mayBlock)
        let file = unsafe isRead ? EntryFile(UnsafeRawBufferPointer(bytes), name: name, fileSize: status.size) : nil
        guard let file, let found = unsafe file.decode(UnsafeRawBufferPointer(bytes)) else {
            unsafe free(memory)
            return isRead || mayBlock ? .damaged(written: status.times.written) : .wouldBlock
        }
        // Frees the memory, at once if the body is so small that it is copied.
        let body = unsafe Data(
            bytesNoCopy: memory + file.bodyStart, count: file.bodyLength,
            deallocator: .custom { _, _ in unsafe free(memory) })
        return .entry(DataEntry(data: body, head: found.head, storedAt: found.storedAt), written: status.times.written)
    }
}
