package import ImageCore

/// A directory of Exif data (Exif 2.32; TIFF 6.0).
///
/// The data starts with the byte order (`II` or `MM`), the number 42, and the offset of the first directory. A
/// directory has the number of its entries, entries of 12 bytes (tag, type, number of values, value), and the offset of
/// the next directory.
package struct EXIFDirectory {
    private let reader: ByteReader
    private let bigEndian: Bool
    private let offset: Int
    private let entries: Int

    /// Reads the first directory; `nil` if there is none.
    ///
    /// - Parameter exif: a TIFF structure, with or without the `Exif\0\0` before it in JPEG.
    package init?(_ exif: Data) {
        var reader = ByteReader(exif)
        if reader.matches([0x45, 0x78, 0x69, 0x66, 0, 0]) { reader = ByteReader(exif.dropFirst(6)) }
        guard reader.matches("MM") || reader.matches("II") else { return nil }
        let bigEndian = reader.matches("MM")
        guard reader.uint16(at: 2, bigEndian: bigEndian) == 42, let offset = reader.uint32(at: 4, bigEndian: bigEndian)
        else { return nil }
        self.init(reader, bigEndian: bigEndian, offset: offset)
    }

    private init?(_ reader: ByteReader, bigEndian: Bool, offset: Int) {
        guard offset > 0, let entries = reader.uint16(at: offset, bigEndian: bigEndian) else { return nil }
        (self.reader, self.bigEndian, self.offset, self.entries) = (reader, bigEndian, offset, entries)
    }

    /// The next directory. The second one describes the thumbnail.
    package var next: EXIFDirectory? {
        reader.uint32(at: offset + 2 + 12 * entries, bigEndian: bigEndian)
            .flatMap { EXIFDirectory(reader, bigEndian: bigEndian, offset: $0) }
    }

    /// Returns the number of the first entry with a tag. It may be a BYTE, a SHORT or a LONG, because writers use all
    /// of them.
    package func number(_ tag: Int) -> Int? {
        for index in 0..<entries {
            let entry = offset + 2 + 12 * index
            guard let found = reader.uint16(at: entry, bigEndian: bigEndian) else { return nil }
            guard found == tag else { continue }
            switch reader.uint16(at: entry + 2, bigEndian: bigEndian) {
            case 1: return reader.byte(at: entry + 8).map(Int.init)
            case 3: return reader.uint16(at: entry + 8, bigEndian: bigEndian)
            case 4: return reader.uint32(at: entry + 8, bigEndian: bigEndian)
            default: return nil
            }
        }
        return nil
    }

    /// Returns the JPEG thumbnail whose offset and length the second directory states; `nil` for none.
    package static func thumbnail(in exif: Data) -> Data? {
        guard let second = EXIFDirectory(exif)?.next, let start = second.number(0x0201), let count = second.number(0x0202),
            let bytes = second.reader.bytes(at: start, count: count), bytes.starts(with: [0xFF, 0xD8, 0xFF])
        else { return nil }
        return bytes
    }
}
