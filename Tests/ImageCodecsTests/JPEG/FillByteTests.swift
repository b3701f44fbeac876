import ImageCore
import ProjectFiles
import ImageCodecs
import Testing

/// FF FF 00 in a scan, which libjpeg-turbo reads in two ways (reader.c).
@Suite struct FillByteTests {
    enum Kind: CaseIterable {
        case gray, halvedColor, threeScans

        func file() throws -> Data {
            switch self {
            case .gray: try encoded(.gray8)
            case .halvedColor: try encoded(.rgba8)
            case .threeScans:
                // Written by cjpeg, with a scan for each component.
                try Data(
                    contentsOf: ProjectFiles.fixtures.appending(path: "three-scans.jpg"))
            }
        }

        /// Noise, whose scan contains bytes of every value.
        private func encoded(_ format: PixelFormat) throws -> Data {
            var noise: UInt32 = 1
            let bitmap = try unsafe Bitmap(size: PixelSize(width: 96, height: 80), format: format, alpha: .opaque) { pixels, _ in
                for i in 0..<pixels.count {
                    noise = noise &* 1_664_525 &+ 1_013_904_223
                    unsafe pixels[i] = UInt8(noise >> 24)
                }
            }
            return try JPEGEncoder().encode(DecodedImage(bitmap), as: .jpeg, options: EncodeOptions())
        }
    }

    @Test(arguments: Kind.allCases)
    func fillBytesInAScanDoNotChangeTheImage(kind: Kind) throws {
        let file = try kind.file()
        let (filled, places) = withFill(file)
        #expect(places > 3, "nothing to fill")
        let plain = try JPEGDecoder().decode(file, options: DecodeOptions())
        let whole = try JPEGDecoder().decode(filled, options: DecodeOptions())
        #expect(whole.bitmap.isSame(as: plain.bitmap))
        for size in [1, 2, 3, 7, 64, 1000, 100_000] {
            let decoder = try #require(try JPEGDecoder().makeIncrementalDecoder(for: filled, options: DecodeOptions()))
            for start in stride(from: 0, to: filled.count, by: size) {
                try decoder.append(filled.dropFirst(start).prefix(size))
            }
            let image = try decoder.finish()
            #expect(image.bitmap.isSame(as: plain.bitmap), "pieces of \(size)")
            #expect(!image.isPartial)
        }
    }

    /// Returns the file with FF repeated wherever a scan has FF 00, several hundred times at one of the places, and the number of
    /// places.
    private func withFill(_ file: Data) -> (Data, places: Int) {
        let bytes = Array(file)
        var (filled, places, at, isScan) = (Data(), 0, 0, false)
        while at < bytes.count {
            let isMarker = bytes[at] == 0xFF && at + 1 < bytes.count && bytes[at + 1] != 0
            if isMarker, [0xD8, 0xD9].contains(bytes[at + 1]) {
                filled += bytes[at..<(at + 2)]
                at += 2
            } else if isMarker {
                // Skip a segment by its length.
                let end = at + 2 + Int(bytes[at + 2]) << 8 + Int(bytes[at + 3])
                isScan = bytes[at + 1] == 0xDA
                filled += bytes[at..<end]
                at = end
            } else {
                if isScan, bytes[at] == 0xFF {
                    filled += Array(repeating: 0xFF, count: places == 2 ? 700 : 1 + places % 5)
                    places += 1
                }
                filled.append(bytes[at])
                at += 1
            }
        }
        return (filled, places)
    }
}
