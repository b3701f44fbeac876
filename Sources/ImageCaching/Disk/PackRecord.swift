internal import ImageCore

/// Where an entry's record lies.
struct PackLocation: Hashable, Sendable {
    /// The number of the pack file.
    var pack: UInt64
    /// Of the record's first byte.
    var offset: Int
    /// Bytes of the encoded response head.
    var headLength: Int
    /// Bytes of the body.
    var bodyLength: Int

    /// Bytes of the whole record.
    var length: Int { PackRecord.headerLength + headLength + bodyLength }
    var end: Int { offset + length }
}

/// The bytes of one entry inside a pack: a header, the response head, the body. Numbers are little-endian.
///
/// ```
///  0  u32  "CLTR"
///  4  u32  length of the head
///  8  u64  length of the body
/// 16  u128 name of the entry
/// 32  f64  when the response arrived, seconds since 1970
/// 40  u64  XXH64 of the body, seeded with the XXH64 of the bytes 0..<40 and the head
/// 48       head, body
/// ```
///
/// The name is in the record so that swapped files and stale positions are noticed, the lengths are there as well as in
/// the journal for the same reason.
enum PackRecord {
    static let headerLength = 48
    private static let magic: UInt32 = 0x5254_4c43

    /// What stands before the body.
    static func prefix(name: EntryName, head: [UInt8], body: Data, storedAt: Double) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(headerLength + head.count)
        bytes.append(littleEndian: magic)
        bytes.append(littleEndian: UInt32(truncatingIfNeeded: head.count))
        bytes.append(littleEndian: UInt64(body.count))
        bytes.append(littleEndian: name.low)
        bytes.append(littleEndian: name.high)
        bytes.append(littleEndian: storedAt.bitPattern)
        bytes.append(littleEndian: UInt64(0))
        bytes.append(contentsOf: head)
        let seed = unsafe bytes.withUnsafeBytes { unsafe seedOfBody(prefix: $0) }
        let checksum = unsafe body.withUnsafeBytes { unsafe Checksum.of($0, seed: seed) }
        unsafe withUnsafeBytes(of: checksum.littleEndian) { unsafe bytes.replaceSubrange(40..<48, with: $0) }
        return bytes
    }

    /// The entry, if the bytes are exactly what was written for `name` at `location`.
    static func decode(prefix: UnsafeRawBufferPointer, body: Data, name: EntryName, location: PackLocation) -> DataEntry? {
        guard prefix.count == headerLength + location.headLength, body.count == location.bodyLength,
            unsafe prefix.littleEndian(at: 0) == magic,
            unsafe Int(prefix.littleEndian(at: 4, as: UInt32.self)) == location.headLength,
            unsafe prefix.littleEndian(at: 8) == UInt64(location.bodyLength),
            unsafe prefix.littleEndian(at: 16) == name.low, unsafe prefix.littleEndian(at: 24) == name.high
        else { return nil }
        let seed = unsafe seedOfBody(prefix: prefix)
        let checksum = unsafe body.withUnsafeBytes { unsafe Checksum.of($0, seed: seed) }
        guard unsafe prefix.littleEndian(at: 40) == checksum else { return nil }
        guard let head = unsafe ResponseHead.decode(UnsafeRawBufferPointer(rebasing: prefix[headerLength...])) else { return nil }
        return DataEntry(data: body, head: head, storedAt: Double(bitPattern: unsafe prefix.littleEndian(at: 32)))
    }

    private static func seedOfBody(prefix: UnsafeRawBufferPointer) -> UInt64 {
        let fixed = unsafe Checksum.of(UnsafeRawBufferPointer(rebasing: prefix[..<40]))
        return unsafe Checksum.of(UnsafeRawBufferPointer(rebasing: prefix[headerLength...]), seed: fixed)
    }
}

/// What a pack file begins with: 32 bytes that tie it to its directory and its own number.
///
/// ```
///  0  "CALOPAK1"
///  8  u128 number of the directory, as in the journal
/// 24  u64  number of the pack
/// 32  records
/// ```
enum PackHeader {
    static let length = 32

    static func encode(directory: EntryName, pack: UInt64) -> [UInt8] {
        var bytes = Array("CALOPAK1".utf8)
        bytes.append(littleEndian: directory.low)
        bytes.append(littleEndian: directory.high)
        bytes.append(littleEndian: pack)
        return bytes
    }

    static func fileName(_ pack: UInt64) -> String { "\(pack).pack" }

    /// The number in a file name that ``fileName(_:)`` could have made.
    static func number(fileName: String) -> UInt64? {
        guard fileName.hasSuffix(".pack"), let number = UInt64(fileName.dropLast(5)), self.fileName(number) == fileName else {
            return nil
        }
        return number
    }
}
