internal import HTTPTypes
internal import ImageCore

/// The location of a record.
struct PackLocation: Hashable, Sendable {
    /// The number of the pack file.
    var pack: UInt64
    /// The position of the record's first byte.
    var offset: Int
    /// Bytes of the encoded status and header fields.
    var headLength: Int
    /// Bytes of the body.
    var bodyLength: Int

    /// Bytes before the body.
    var prefixLength: Int { PackRecord.headerLength + headLength }
    /// Bytes of the whole record.
    var length: Int { prefixLength + bodyLength }
    var end: Int { offset + length }
}

/// The format of one entry inside a pack: a record header, the response headers ("head") and the body. Numbers are little-endian.
///
/// ```
///  0  u32  "CLTB"
///  4  u32  length of the head
///  8  u64  length of the body
/// 16  u128 name of the entry
/// 32  f64  when the response arrived, seconds since 1970
/// 40  u64  XXH64 of the head, seeded with that of the bytes 0..<40, seeded with that of the body
/// 48       head, body
/// ```
///
/// The name and the lengths are also in the journal; repeating them here detects swapped files and outdated positions.
enum PackRecord {
    static let headerLength = 48
    private static let magic: UInt32 = 0x4254_4c43

    /// Encodes the bytes before the body.
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
        let checksum = unsafe bytes.withUnsafeBytes { prefix in
            unsafe body.withUnsafeBytes { unsafe Self.checksum(prefix: prefix, body: $0) }
        }
        unsafe withUnsafeBytes(of: checksum.littleEndian) { unsafe bytes.replaceSubrange(40..<48, with: $0) }
        return bytes
    }

    /// Decodes a record; `nil` unless it is what was written for `name`.
    static func decode(
        _ record: UnsafeRawBufferPointer, name: EntryName, location: PackLocation
    ) -> (head: HTTPResponse, storedAt: Double)? {
        guard record.count == location.length else { return nil }
        let prefix = unsafe UnsafeRawBufferPointer(rebasing: record[..<location.prefixLength])
        let body = unsafe UnsafeRawBufferPointer(rebasing: record[location.prefixLength...])
        guard unsafe prefix.littleEndian(at: 0) == magic,
            unsafe Int(prefix.littleEndian(at: 4, as: UInt32.self)) == location.headLength,
            unsafe prefix.littleEndian(at: 8) == UInt64(location.bodyLength),
            unsafe prefix.littleEndian(at: 16) == name.low, unsafe prefix.littleEndian(at: 24) == name.high,
            unsafe prefix.littleEndian(at: 40) == checksum(prefix: prefix, body: body),
            let head = unsafe ResponseHeaderCoding.decode(UnsafeRawBufferPointer(rebasing: prefix[headerLength...]))
        else { return nil }
        return (head, Double(bitPattern: unsafe prefix.littleEndian(at: 32)))
    }

    private static func checksum(prefix: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer) -> UInt64 {
        let fixed = unsafe Checksum.of(UnsafeRawBufferPointer(rebasing: prefix[..<40]), seed: Checksum.of(body))
        return unsafe Checksum.of(UnsafeRawBufferPointer(rebasing: prefix[headerLength...]), seed: fixed)
    }
}

/// The header of a pack file: 32 bytes that identify its directory and its number.
///
/// ```
///  0  "CALOPAK1"
///  8  u128 number of the directory, as in the journal
/// 24  u64  number of the pack
/// 32  records
/// ```
enum PackHeader {
    static let length = 32
    /// Larger numbers are rejected. The journal accepts numbers up to twice as large, so that incrementing one is safe.
    static let numberLimit: UInt64 = 1 << 41

    static func encode(directory: EntryName, pack: UInt64) -> [UInt8] {
        var bytes = Array("CALOPAK1".utf8)
        bytes.append(littleEndian: directory.low)
        bytes.append(littleEndian: directory.high)
        bytes.append(littleEndian: pack)
        return bytes
    }

    static func fileName(_ pack: UInt64) -> String { "\(pack).pack" }

    /// The number in a file name; `nil` unless ``fileName(_:)`` creates that name.
    static func number(fileName: String) -> UInt64? {
        guard fileName.hasSuffix(".pack"), let number = UInt64(fileName.dropLast(5)), number < numberLimit,
            self.fileName(number) == fileName
        else { return nil }
        return number
    }
}
