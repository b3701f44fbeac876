import ImageCore
import Testing

/// A file that is not an image, or claims to be a huge one, is an error within a second and 100 MB.
@Suite("Hostile files on the command line", .serialized, .timeLimit(.minutes(1)))
struct HostileFileTests {
    static let files: [(name: String, bytes: [UInt8])] = [
        ("empty", []),
        ("text", Array("This is not an image.\n".utf8)),
        ("zeros", [UInt8](repeating: 0, count: 100_000)),
        ("truncated.jpg", truncated("dunes.jpg")),
        ("truncated-grey.jpg", truncated("marble.jpg")),
        ("truncated.png", truncated("chart.png")),
        ("truncated.webp", truncated("glass.webp")),
        ("truncated.avif", truncated("julia.avif")),
        ("huge.jpg", hugeJPEG(progressive: false)),
        ("huge-progressive.jpg", hugeJPEG(progressive: true)),
        ("huge.png", hugePNG),
        ("huge.webp", hugeWebP),
        ("huge.avif", hugeAVIF),
    ]

    @Test(arguments: files.map(\.name), ["info", "convert"])
    func theCommandFailsWithinASecondAndAHundredMegabytes(_ name: String, _ command: String) async throws {
        let bytes = HostileFileTests.files.first { $0.name == name }?.bytes ?? []
        let folder = try ScratchFolder()
        let file = try folder.write(bytes, to: name)
        let run = try await CommandProcess(
            [command, file] + (command == "convert" ? [folder.file("out.png")] : []), measuresMemory: true
        ).end()
        #expect(run.ending == .status(1))
        #expect(run.output.isEmpty)
        #expect(run.errorLines.count == 1)
        #expect(run.errors.hasPrefix("calotype: \(file): "))
        // Other tests share the machine, so the limit is one of processor time.
        #expect(run.processorTime < .seconds(1), "\(run.processorTime)")
        #expect(run.time < .seconds(20), "\(run.time)")
        #expect((1_000_000..<100_000_000).contains(run.peakMemory), "\(run.peakMemory) bytes")
        #expect(folder.names.allSatisfy { !$0.hasPrefix("out") && !$0.hasPrefix(".calotype") })
    }

    /// The first two thirds of an image of the gallery.
    private static func truncated(_ name: String) -> [UInt8] {
        guard let data = try? Project.bytes(of: name) else { return [] }
        return Array(data.prefix(data.count * 2 / 3))
    }

    /// The headers of a grey JPEG of 65,500 x 65,500 pixels, and the start of a scan (ITU-T T.81, B.2).
    private static func hugeJPEG(progressive: Bool) -> [UInt8] {
        let side: [UInt8] = [0xFF, 0xDC]
        let quantisation = [0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 1, count: 64)
        let frame = [0xFF, progressive ? 0xC2 : 0xC0, 0, 11, 8] + side + side + [1, 1, 0x11, 0]
        let huffman = [0xFF, 0xC4, 0, 20, 0, 1] + [UInt8](repeating: 0, count: 15) + [0]
        let scan: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, progressive ? 0 : 63, 0]
        return [0xFF, 0xD8] + quantisation + frame + huffman + scan + [UInt8](repeating: 0, count: 500) + [0xFF, 0xD9]
    }

    /// IHDR of 65,500 x 65,500 grey pixels with a valid checksum, an empty IDAT, IEND (PNG, sections 5 and 11).
    private static var hugePNG: [UInt8] {
        let side: [UInt8] = [0, 0, 0xFF, 0xDC]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", side + side + [8, 0, 0, 0, 0])
            + chunk("IDAT", [0x78, 0x9C, 3, 0, 0, 0, 0, 1]) + chunk("IEND", [])
    }

    static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        let checked = Array(name.utf8) + body
        return bigEndian(UInt32(body.count)) + checked + bigEndian(crc32(checked))
    }

    /// CRC-32 (ISO 3309), the checksum of PNG.
    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
        }
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

    /// A canvas of 65,500 x 65,500 (VP8X; WebP container specification, extended file format) with a tiny image.
    private static var hugeWebP: [UInt8] {
        let side: [UInt8] = [0xDB, 0xFF, 0]
        let extended = Array("VP8X".utf8) + [10, 0, 0, 0, 0, 0, 0, 0] + side + side
        guard let image = try? Project.bytes(of: "tiles.webp").dropFirst(12) else { return [] }
        let body = Array("WEBP".utf8) + extended + image
        return Array("RIFF".utf8) + bigEndian(UInt32(body.count)).reversed() + body
    }

    /// A valid AVIF whose ispe property (ISO/IEC 23008-12, 6.5.3) claims 65,500 x 65,500.
    private static var hugeAVIF: [UInt8] {
        guard var bytes = try? Array(Project.bytes(of: "nebula.avif")),
            let at = (0..<bytes.count - 16).first(where: { Array(bytes[$0..<$0 + 4]) == Array("ispe".utf8) })
        else { return [] }
        bytes.replaceSubrange(at + 8..<at + 16, with: [0, 0, 0xFF, 0xDC, 0, 0, 0xFF, 0xDC])
        return bytes
    }
}
