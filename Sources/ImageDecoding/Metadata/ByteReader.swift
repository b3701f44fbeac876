package import ImageCore

/// Reads numbers from the bytes of a file. Returns `nil` for offsets outside of the file, so that offsets in a file
/// need no check.
package struct ByteReader: Sendable {
    private let data: Data
    private let start: Int
    package let count: Int

    package init(_ data: Data) {
        self.data = data
        start = data.startIndex
        count = data.count
    }

    package func byte(at offset: Int) -> UInt8? {
        offset >= 0 && offset < count ? data[start + offset] : nil
    }

    /// Returns `length` bytes at `offset` without a copy.
    package func bytes(at offset: Int, count length: Int) -> Data? {
        guard offset >= 0, length >= 0, offset <= count, length <= count - offset else { return nil }
        return data[(start + offset)..<(start + offset + length)]
    }

    package func uint16(at offset: Int, bigEndian: Bool) -> Int? {
        guard let first = byte(at: offset), let second = byte(at: offset + 1) else { return nil }
        return bigEndian ? Int(first) << 8 | Int(second) : Int(second) << 8 | Int(first)
    }

    package func uint32(at offset: Int, bigEndian: Bool) -> Int? {
        guard let first = uint16(at: offset, bigEndian: bigEndian), let second = uint16(at: offset + 2, bigEndian: bigEndian)
        else { return nil }
        return bigEndian ? first << 16 | second : second << 16 | first
    }

    /// Returns the number in eight bytes, the highest first; `nil` if it does not fit into an `Int`.
    package func uint64(at offset: Int) -> Int? {
        guard let high = uint32(at: offset, bigEndian: true), let low = uint32(at: offset + 4, bigEndian: true),
            high <= Int(Int32.max)
        else { return nil }
        return high << 32 | low
    }

    /// Whether `text` is at `offset`.
    package func matches(_ text: StaticString, at offset: Int = 0) -> Bool {
        matches(Array(text.description.utf8), at: offset)
    }

    package func matches(_ expected: [UInt8], at offset: Int = 0) -> Bool {
        guard let found = bytes(at: offset, count: expected.count) else { return false }
        return found.elementsEqual(expected)
    }
}
