package import ImageCore

/// The format of an entry as a value in a shared store, which stores bytes by name. Numbers are little-endian. "head"
/// is the encoded status and header fields.
///
/// ```
///  0  u32  "CLTS"
///  4  u32  length of the head
///  8  u64  length of the body
/// 16  f64  when the response arrived, seconds since 1970
/// 24  u64  XXH64 of the body, seeded with the XXH64 of the name, the bytes 0..<24 and the head
/// 32       head, body
/// ```
///
/// The checksum covers the name of the value: a value that was copied to another name is a miss.
package enum SharedEntry {
    package static let headerLength = 32
    private static let magic: UInt32 = 0x5354_4c43

    /// The bytes; `nil` if the response headers do not fit the format.
    package static func encode(_ entry: DataEntry, name: String) -> [UInt8]? {
        guard let head = ResponseHeaderCoding.encode(entry.head) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(headerLength + head.count + entry.data.count)
        bytes.append(littleEndian: magic)
        bytes.append(littleEndian: UInt32(truncatingIfNeeded: head.count))
        bytes.append(littleEndian: UInt64(entry.data.count))
        bytes.append(littleEndian: entry.storedAt.bitPattern)
        let checksum = unsafe bytes.withUnsafeBytes { fixed in
            let seed = unsafe seed(name: name, fixed: fixed, head: head)
            return unsafe entry.data.withUnsafeBytes { unsafe Checksum.of($0, seed: seed) }
        }
        bytes.append(littleEndian: checksum)
        bytes.append(contentsOf: head)
        bytes.append(contentsOf: entry.data)
        return bytes
    }

    /// The entry; `nil` unless the bytes are exactly what was encoded for `name`.
    package static func decode(_ bytes: UnsafeRawBufferPointer, name: String) -> DataEntry? {
        guard bytes.count >= headerLength, unsafe bytes.littleEndian(at: 0) == magic else { return nil }
        let headLength = unsafe Int(bytes.littleEndian(at: 4, as: UInt32.self))
        let bodyLength = unsafe bytes.littleEndian(at: 8, as: UInt64.self)
        guard headLength <= ResponseHeaderCoding.maximumSize, bytes.count - headerLength >= headLength,
            UInt64(bytes.count - headerLength - headLength) == bodyLength
        else { return nil }
        let bodyStart = headerLength + headLength
        let (head, body) = unsafe (
            UnsafeRawBufferPointer(rebasing: bytes[headerLength..<bodyStart]),
            UnsafeRawBufferPointer(rebasing: bytes[bodyStart...])
        )
        let seed = unsafe seed(name: name, fixed: UnsafeRawBufferPointer(rebasing: bytes[..<24]), head: Array(head))
        guard unsafe bytes.littleEndian(at: 24) == Checksum.of(body, seed: seed),
            let response = unsafe ResponseHeaderCoding.decode(head)
        else { return nil }
        let storedAt = Double(bitPattern: unsafe bytes.littleEndian(at: 16))
        return unsafe DataEntry(data: Data(body), head: response, storedAt: storedAt)
    }

    private static func seed(name: String, fixed: UnsafeRawBufferPointer, head: [UInt8]) -> UInt64 {
        var seed = unsafe Array(name.utf8).withUnsafeBytes { unsafe Checksum.of($0) }
        seed = unsafe Checksum.of(fixed, seed: seed)
        return unsafe head.withUnsafeBytes { unsafe Checksum.of($0, seed: seed) }
    }
}
