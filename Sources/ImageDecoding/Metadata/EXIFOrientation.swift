import ImageCore

/// Finds the orientation in Exif data (Exif 2.32): a TIFF header, `II` or `MM`, 42, the offset of the first directory;
/// there a count and entries of 12 bytes: tag, type, number of values, value.
enum EXIFOrientation {
    /// The orientation, or upright where there is none, or none that is valid.
    ///
    /// - Parameter exif: a TIFF structure, with or without the `Exif\0\0` that precedes it in JPEG.
    static func parse(_ exif: Data) -> Orientation {
        var reader = ByteReader(exif)
        if reader.matches([0x45, 0x78, 0x69, 0x66, 0, 0]) { reader = ByteReader(exif.dropFirst(6)) }
        guard reader.matches("MM") || reader.matches("II") else { return .up }
        let bigEndian = reader.matches("MM")
        guard reader.uint16(at: 2, bigEndian: bigEndian) == 42,
            let directory = reader.uint32(at: 4, bigEndian: bigEndian),
            let entries = reader.uint16(at: directory, bigEndian: bigEndian)
        else { return .up }
        for index in 0..<entries {
            let entry = directory + 2 + 12 * index
            guard let tag = reader.uint16(at: entry, bigEndian: bigEndian) else { return .up }
            guard tag == 0x0112 else { continue }
            return value(of: entry, in: reader, bigEndian: bigEndian).flatMap(Orientation.init(rawValue:)) ?? .up
        }
        return .up
    }

    /// The single number of an entry; writers use BYTE, SHORT and LONG alike.
    private static func value(of entry: Int, in reader: ByteReader, bigEndian: Bool) -> Int? {
        switch reader.uint16(at: entry + 2, bigEndian: bigEndian) {
        case 1: reader.byte(at: entry + 8).map(Int.init)
        case 3: reader.uint16(at: entry + 8, bigEndian: bigEndian)
        case 4: reader.uint32(at: entry + 8, bigEndian: bigEndian)
        default: nil
        }
    }
}
