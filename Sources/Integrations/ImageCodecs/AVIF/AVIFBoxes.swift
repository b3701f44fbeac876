internal import ImageCore
internal import ImageDecoding

/// Iterates over the boxes of an ISO base media file (ISO/IEC 14496-12, 4.2): size, type, content. The size 1 means
/// that the real size follows in 8 bytes; 0 means that the box extends to the end of the file.
struct ISOBoxes: Sequence, IteratorProtocol {
    struct Box {
        let type: String
        let content: Data
    }

    private let reader: ByteReader
    private var offset = 0

    init(_ bytes: Data) { reader = ByteReader(bytes) }

    mutating func next() -> Box? {
        guard var size = reader.uint32(at: offset, bigEndian: true), let name = reader.bytes(at: offset + 4, count: 4) else {
            return nil
        }
        var header = 8
        if size == 1 {
            guard let long = reader.uint64(at: offset + 8) else { return nil }
            (size, header) = (long, 16)
        } else if size == 0 {
            size = reader.count - offset
        }
        guard size >= header, let content = reader.bytes(at: offset + header, count: size - header) else { return nil }
        offset += size
        return Box(type: String(decoding: name, as: UTF8.self), content: content)
    }

    /// Returns the content of the first box of a type.
    static func first(_ type: String, in bytes: Data) -> Data? { ISOBoxes(bytes).first { $0.type == type }?.content }
}

/// Reads how often the image track of an AVIF sequence is played. libavif reports it only since 1.0.
enum AVIFRepetitions {
    /// How often a sequence is shown; 0 for ever, 1 for a still image. As in browsers, a file that does not say so is
    /// shown for ever.
    static func loopCount(of file: Data, frames: Int) -> Int { frames > 1 ? count(in: file) ?? 0 : 1 }

    /// An edit list (`elst`) with the flag 1 repeats a segment until the end of the track's duration (`tkhd`). The
    /// largest number means endless (ISO/IEC 23000-22 (MIAF), 7.3.2.1); some encoders write the largest signed number.
    ///
    /// - Returns: the number of times that the sequence is shown, 0 for endless, or `nil` when the file does not say.
    private static func count(in file: Data) -> Int? {
        guard let movie = ISOBoxes.first("moov", in: file) else { return nil }
        for track in ISOBoxes(movie) where track.type == "trak" {
            guard let media = ISOBoxes.first("mdia", in: track.content), let handler = ISOBoxes.first("hdlr", in: media),
                ByteReader(handler).matches("pict", at: 8)
            else { continue }
            return count(track: track.content)
        }
        return nil
    }

    private static func count(track: Data) -> Int? {
        guard let edits = ISOBoxes.first("edts", in: track).flatMap({ ISOBoxes.first("elst", in: $0) }),
            let header = ISOBoxes.first("tkhd", in: track)
        else { return nil }
        let (list, head) = (ByteReader(edits), ByteReader(header))
        guard let flags = list.byte(at: 3), list.uint32(at: 4, bigEndian: true) == 1 else { return nil }
        if flags & 1 == 0 { return 1 }
        let segment = list.byte(at: 0) == 1 ? list.uint64(at: 8) : list.uint32(at: 8, bigEndian: true)
        // Two dates, the track's number and a reserved number precede the duration. Dates and duration have 8 bytes in
        // version 1.
        let isLong = head.byte(at: 0) == 1
        let place = isLong ? 28 : 20
        guard let words = head.bytes(at: place, count: isLong ? 8 : 4) else { return nil }
        if let first = words.first, first | 0x80 == 0xFF, words.dropFirst().allSatisfy({ $0 == 0xFF }) { return 0 }
        guard let segment, segment > 0,
            let duration = isLong ? head.uint64(at: place) : head.uint32(at: place, bigEndian: true)
        else { return nil }
        return max(1, duration / segment + (duration % segment > 0 ? 1 : 0))
    }
}

/// The type of an auxiliary track or item.
enum AVIFAuxiliaryType {
    private static let alpha = ["urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1"]

    /// Whether the content of an `auxi` or `auxC` box declares alpha (HEIF, 6.5.8 and 7.5.3).
    static func isAlpha(_ content: Data) -> Bool {
        alpha.contains(String(decoding: content.dropFirst(4).prefix { $0 != 0 }, as: UTF8.self))
    }
}

/// The auxiliary tracks of an AVIF sequence. libavif 0.11 uses the first one as alpha, whatever its type.
enum AVIFAuxiliaryTracks {
    /// Whether no auxiliary track is alpha. A track without a type counts as alpha.
    ///
    /// - Throws: ``ImageError`` when an alpha track follows another auxiliary track, since libavif would use the wrong
    ///   one.
    static func areOther(in file: Data) throws(ImageError) -> Bool {
        // Files of other brands show their primary item.
        guard ByteReader(file).matches("avis", at: 8), let movie = ISOBoxes.first("moov", in: file) else { return false }
        let areAlpha = ISOBoxes(movie).filter { box in
            box.type == "trak" && ISOBoxes.first("tref", in: box.content).flatMap { ISOBoxes.first("auxl", in: $0) } != nil
        }.map { track in type(of: track.content).map(AVIFAuxiliaryType.isAlpha) ?? true }
        guard areAlpha.first == false else { return false }
        if areAlpha.contains(true) {
            throw ImageError(
                .unsupportedFeature,
                message: "The AVIF sequence has another auxiliary track before its alpha track, which is not supported; "
                    + "write the alpha track first.")
        }
        return true
    }

    /// Returns the content of `auxi` in the sample description of a track.
    private static func type(of track: Data) -> Data? {
        var content = track
        for type in ["mdia", "minf", "stbl", "stsd"] {
            guard let found = ISOBoxes.first(type, in: content) else { return nil }
            content = found
        }
        // The number of descriptions precedes them, and each has 78 bytes of fixed fields before its boxes.
        guard let sample = ISOBoxes.first("av01", in: content.dropFirst(8)) else { return nil }
        return ISOBoxes.first("auxi", in: sample.dropFirst(78))
    }
}
