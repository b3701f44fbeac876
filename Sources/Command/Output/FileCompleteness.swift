internal import ImageCore
internal import ImageDecoding

/// Checks whether a file is complete by its outer structure, without decoding. A truncated file still has a valid
/// header.
enum FileCompleteness {
    /// - Throws: ``ImageError`` (`truncated`) for a JPEG, PNG, WebP, AVIF or GIF file that ends too early. Other
    ///   formats pass.
    static func check(_ data: Data, format: ImageFormat) throws(ImageError) {
        let reader = ByteReader(data)
        let isComplete =
            switch format {
            case .jpeg: isCompleteJPEG(data)
            case .png: isCompletePNG(reader)
            case .webp: isCompleteWebP(reader)
            case .avif: isCompleteAVIF(reader)
            case .gif: isCompleteGIF(reader)
            default: true
            }
        guard !isComplete else { return }
        throw ImageError(
            .truncated,
            message:
                "The \(format.rawValue.uppercased()) file is truncated: it ends before its image does. Copy or download it again."
        )
    }

    /// Looks for the marker EOI (ITU-T T.81, B.1.1). Segments are skipped by their length. Entropy-coded data cannot
    /// contain a marker, because a 0x00 follows each of its 0xFF bytes.
    private static func isCompleteJPEG(_ data: Data) -> Bool {
        let reader = ByteReader(data)
        var at = 2
        while let marker = unsafe data.withUnsafeBytes({ unsafe $0.dropFirst(at).firstIndex(of: 0xFF) }) {
            at = marker
            guard let code = reader.byte(at: at + 1) else { return false }
            switch code {
            case 0xD9: return true
            // Stuffing, fill bytes and markers without a segment: RSTn, SOI, TEM.
            case 0x00, 0x01, 0xD0...0xD8: at += 2
            case 0xFF: at += 1
            default:
                guard let length = reader.uint16(at: at + 2, bigEndian: true) else { return false }
                at += 2 + max(2, length)
            }
        }
        return false
    }

    /// Looks for the chunk IEND with its checksum (PNG, section 11.2.5).
    private static func isCompletePNG(_ reader: ByteReader) -> Bool {
        var at = 8
        while let length = reader.uint32(at: at, bigEndian: true) {
            let isEnd = reader.matches("IEND", at: at + 4)
            at += 12 + length
            if isEnd { return at <= reader.count }
        }
        return false
    }

    /// Compares the length with the little-endian one in the RIFF header (WebP container specification).
    private static func isCompleteWebP(_ reader: ByteReader) -> Bool {
        reader.uint32(at: 4, bigEndian: false).map { $0 + 8 <= reader.count } ?? false
    }

    /// Checks the length of every box that an image needs (ISO/IEC 14496-12, 4.2). A length of 0 reaches to the end of
    /// the file, and 1 means that 64 bits follow the name. Other data after these boxes is ignored.
    private static func isCompleteAVIF(_ reader: ByteReader) -> Bool {
        var at = 0
        while let short = reader.uint32(at: at, bigEndian: true), reader.bytes(at: at + 4, count: 4) != nil, short != 0 {
            guard let length = short == 1 ? reader.uint64(at: at + 8) : short else { return false }
            guard length >= 8, length <= reader.count - at else {
                return !["ftyp", "meta", "mdat", "moov"].contains { reader.matches(Array($0.utf8), at: at + 4) }
            }
            at += length
        }
        return true
    }

    /// Follows every block to its end (GIF89a specification). An image or an extension has sub-blocks, and the last one
    /// is empty. Many files have no trailer; they are complete.
    private static func isCompleteGIF(_ reader: ByteReader) -> Bool {
        /// The bytes of a colour table whose size is in a byte of packed fields.
        func colors(_ packed: UInt8) -> Int { packed & 0x80 == 0 ? 0 : 3 << (Int(packed & 7) + 1) }
        guard let packed = reader.byte(at: 10) else { return false }
        var at = 13 + colors(packed)
        while let kind = reader.byte(at: at) {
            switch kind {
            case 0x21: at += 2
            case 0x2C:
                guard let packed = reader.byte(at: at + 9) else { return false }
                at += 11 + colors(packed)
            // The trailer, or data after the image.
            default: return true
            }
            while let length = reader.byte(at: at), length > 0 { at += 1 + Int(length) }
            // Skip the empty sub-block, if the file has one.
            at += 1
        }
        return at == reader.count
    }
}
