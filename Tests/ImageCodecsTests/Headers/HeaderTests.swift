import ImageCore
import ImageDecoding
import ProjectFiles
import TestBitmaps
import ImageCodecs
import Testing

/// The bytes that suffice to read a header, so that a load of metadata fetches no more.
@Suite struct HeaderTests {
    /// A file, and the number of bytes at its end that are not needed.
    static let files = [
        ("jpeg/metadata.jpg", 20), ("jpeg/progressive.jpg", 200), ("png/metadata.png", 60), ("webp/lossy.webp", 70),
        ("webp/lossless.webp", 90), ("avif/420.avif", 60), ("gif/still.gif", 200),
    ]

    @Test(arguments: files)
    func theBeginningOfAFileGivesItsHeader(path: String, rest: Int) throws {
        let file = try Data(contentsOf: ProjectFiles.fuzzSeeds.appending(path: path))
        let registry = DecoderRegistry(.codecs)
        let whole = try registry.info(of: file, limits: DecodingLimits())
        #expect(try registry.info(of: file.dropLast(rest), limits: DecodingLimits()) == whole)
    }

    @Test(arguments: files)
    func tooFewBytesAreTruncated(path: String, rest: Int) throws {
        let file = try Data(contentsOf: ProjectFiles.fuzzSeeds.appending(path: path))
        for count in [16, 20] {
            let error = #expect(throws: ImageError.self) {
                try DecoderRegistry(.codecs).info(of: file.prefix(count), limits: DecodingLimits())
            }
            #expect(error?.code == .truncated || error?.code == .unknownFormat, "\(path) \(count): \(String(describing: error))")
        }
    }
}
