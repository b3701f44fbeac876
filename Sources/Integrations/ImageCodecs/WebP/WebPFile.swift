internal import ImageCore
internal import ImageDecoding

/// Writes WebP containers (WebP container specification): `RIFF`, the size of the rest, `WEBP`, and chunks of a name, a
/// size, and content padded to an even length.
enum WebPFile {
    /// Writes the extended format: `VP8X`, `ICCP`, the chunks of the images, `EXIF`.
    ///
    /// - Parameters:
    ///   - images: the chunks of the image or of the animation.
    ///   - profile: the profile; empty for none.
    static func extended(
        _ images: Data, size: PixelSize, hasAlpha: Bool, isAnimated: Bool = false, profile: Data, orientation: Orientation
    ) -> Data {
        let exif = EXIFOrientation.data(orientation)
        let flags: UInt8 =
            (profile.isEmpty ? 0 : 0x20) | (hasAlpha ? 0x10 : 0) | (exif.isEmpty ? 0 : 0x08) | (isAnimated ? 0x02 : 0)
        // Flags, then width and height less one in 24 bits each.
        var chunks = chunk("VP8X", Data([flags, 0, 0, 0]) + little(size.width - 1, 3) + little(size.height - 1, 3))
        if !profile.isEmpty { chunks.append(chunk("ICCP", profile)) }
        chunks.append(images)
        if !exif.isEmpty { chunks.append(chunk("EXIF", exif)) }
        return Data("RIFF".utf8) + little(chunks.count + 4, 4) + Data("WEBP".utf8) + chunks
    }

    /// The chunks of an image in a file: `ALPH`, `VP8 ` and `VP8L`.
    static func imageChunks(of file: Data) -> Data {
        let reader = ByteReader(file)
        var (offset, found) = (12, Data())
        while let name = reader.bytes(at: offset, count: 4), let size = reader.uint32(at: offset + 4, bigEndian: false),
            let content = reader.bytes(at: offset + 8, count: size)
        {
            let text = String(decoding: name, as: UTF8.self)
            if ["ALPH", "VP8 ", "VP8L"].contains(text) { found.append(chunk(text, content)) }
            offset += 8 + size + size % 2
        }
        return found
    }

    static func chunk(_ name: String, _ content: Data) -> Data {
        Data(name.utf8) + little(content.count, 4) + content + (content.count % 2 == 0 ? Data() : Data([0]))
    }

    /// Returns the bytes of a number, the lowest first.
    static func little(_ number: Int, _ bytes: Int) -> Data {
        Data((0..<bytes).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }
}
