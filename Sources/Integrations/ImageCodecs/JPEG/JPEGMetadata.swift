internal import ImageCore
internal import ImageDecoding

/// The metadata in the segments before a JPEG's image data.
struct JPEGMetadata {
    private(set) var orientation = Orientation.up
    private(set) var profile: Data?
    /// The thumbnail in the Exif data, a small JPEG.
    private(set) var thumbnail: Data?

    /// - Parameter markers: APP1 and APP2 segments in the order of the file. The first Exif segment counts.
    init(_ markers: [(code: UInt8, content: Data)], limits: DecodingLimits) {
        let exif = markers.first { $0.code == 0xE1 && $0.content.starts(with: [0x45, 0x78, 0x69, 0x66, 0, 0]) }
        if let exif {
            orientation = EXIFOrientation.parse(exif.content)
            thumbnail = EXIFDirectory.thumbnail(in: exif.content)
        }
        profile = Self.joinProfile(in: markers.filter { $0.code == 0xE2 }.map(\.content), limits: limits)
    }

    /// Joins an ICC profile (ICC.1:2022, annex B.4). Each piece begins with `ICC_PROFILE\0`, its number from 1, and the
    /// number of pieces, in any order. Without each piece exactly once there is no profile.
    private static func joinProfile(in segments: [Data], limits: DecodingLimits) -> Data? {
        let name = Array("ICC_PROFILE".utf8) + [0]
        let pieces = segments.filter { $0.count > 14 && $0.starts(with: name) }
            .map { (number: Int($0[$0.startIndex + 12]), total: Int($0[$0.startIndex + 13]), bytes: $0.dropFirst(14)) }
            .sorted { $0.number < $1.number }
        guard let total = pieces.first?.total, pieces.count == total, pieces.allSatisfy({ $0.total == total }),
            pieces.map(\.number) == Array(1...max(1, total)), pieces.reduce(0, { $0 + $1.bytes.count }) <= limits.metadataBytes
        else { return nil }
        return pieces.reduce(into: Data()) { $0.append($1.bytes) }
    }
}
