internal import ImageCore

/// Describes the probable type of a file that no decoder accepts, for error messages.
enum FileSniffer {
    /// Returns a noun with its article, such as `an HTML page`.
    static func describe(_ data: Data) -> String {
        let reader = ByteReader(data)
        for (name, magic, offset) in signatures where reader.matches(magic, at: offset) { return name }
        let sample = data.prefix(256)
        if sample.allSatisfy({ $0 >= 0x20 && $0 < 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) {
            return textKind(String(decoding: sample, as: UTF8.self).lowercased())
        }
        let bytes = data.prefix(8).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }
        return "of an unknown type (it begins with \(bytes.joined(separator: " ")))"
    }

    private static func textKind(_ text: String) -> String {
        if text.contains("<svg") { return "an SVG drawing" }
        if text.contains("<html") || text.contains("<!doctype html") { return "an HTML page" }
        if text.contains("<?xml") { return "an XML document" }
        return "text"
    }

    /// Names, signatures, and the offsets of the signatures in the file.
    private static let signatures: [(String, [UInt8], Int)] = [
        ("a GIF", Array("GIF87a".utf8), 0), ("a GIF", Array("GIF89a".utf8), 0),
        ("a GIF of an unknown version (neither 87a nor 89a)", Array("GIF8".utf8), 0), ("a BMP", Array("BM".utf8), 0),
        ("a TIFF", [0x49, 0x49, 0x2A, 0], 0), ("a TIFF", [0x4D, 0x4D, 0, 0x2A], 0),
        ("a HEIC", Array("ftyphei".utf8), 4), ("a HEIF", Array("ftypmif1".utf8), 4),
        ("a JPEG XL", [0xFF, 0x0A], 0), ("a JPEG XL", Array("JXL ".utf8), 4), ("a JPEG 2000", Array("jP  ".utf8), 4),
        ("an icon file", [0, 0, 1, 0], 0), ("a PDF", Array("%PDF".utf8), 0), ("a ZIP archive", Array("PK".utf8), 0),
        ("gzip data", [0x1F, 0x8B], 0), ("a video or other ISO media file", Array("ftyp".utf8), 4),
    ]
}
