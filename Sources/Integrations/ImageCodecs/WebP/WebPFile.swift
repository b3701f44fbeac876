import ImageCore
import ImageDecoding

/// Writes WebP containers (WebP container specification): `RIFF`, the size of the rest, `WEBP`, and chunks of a name, a size, and
/// content padded to an even length.
enum WebPFile {
    /// Adds a profile and Exif data, if there are any, by writing the extended format: `VP8X`, `ICCP`, the image's chunks,
    /// `EXIF`.
    static func adding(profile: Data, exif: Data, to file: Data, size: PixelSize, hasAlpha: Bool) -> Data {
        var chunks = extendedHeader(
            size: size, flags: (profile.isEmpty ? 0 : 0x20) | (hasAlpha ? 0x10 : 0) | (exif.isEmpty ? 0 : 0x08))
        if !profile.isEmpty { chunks.append(chunk("ICCP", profile)) }
        for (name, content) in imageChunks(of: file) { chunks.append(chunk(name, content)) }
        if !exif.isEmpty { chunks.append(chunk("EXIF", exif)) }
        return wrap(chunks)
    }

    /// The chunks of an image: `ALPH`, `VP8 ` and `VP8L`.
    static func imageChunks(of file: Data) -> [(name: String, content: Data)] {
        let reader = ByteReader(file)
        var (offset, found) = (12, [(String, Data)]())
        while let name = reader.bytes(at: offset, count: 4), let size = reader.uint32(at: offset + 4, bigEndian: false),
            let content = reader.bytes(at: offset + 8, count: size)
        {
            let text = String(decoding: name, as: UTF8.self)
            if ["ALPH", "VP8 ", "VP8L"].contains(text) { found.append((text, content)) }
            offset += 8 + size + size % 2
        }
        return found
    }

    /// `VP8X`: flags, then width and height less one in 24 bits each.
    static func extendedHeader(size: PixelSize, flags: UInt8) -> Data {
        chunk("VP8X", Data([flags, 0, 0, 0]) + little(size.width - 1, 3) + little(size.height - 1, 3))
    }

    static func chunk(_ name: String, _ content: Data) -> Data {
        Data(name.utf8) + little(content.count, 4) + content + (content.count % 2 == 0 ? Data() : Data([0]))
    }

    static func wrap(_ chunks: Data) -> Data {
        Data("RIFF".utf8) + little(chunks.count + 4, 4) + Data("WEBP".utf8) + chunks
    }

    /// Returns the bytes of a number, the lowest first.
    static func little(_ number: Int, _ bytes: Int) -> Data {
        Data((0..<bytes).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }
}
