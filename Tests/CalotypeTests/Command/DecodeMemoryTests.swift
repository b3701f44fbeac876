import ImageCore
import ImageCodecs
import ImageDecoding
import Testing
import Timing

/// The peak memory of decoding, measured in separate processes.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DecodeMemoryTests {
    private static let corpus: String? = {
        let path = ProcessInfo.processInfo.environment["CALOTYPE_CORPUS"] ?? Project.root + "/../shared/corpus"
        return FileManager.default.fileExists(atPath: path + "/manifest.tsv") ? path : nil
    }()

    private let folder = try? ScratchFolder()

    /// The smallest and the largest file of each folder of the corpus, and two files between them.
    private static func sample(of corpus: String) throws -> [String] {
        let manifest = try String(contentsOf: URL(filePath: corpus + "/manifest.tsv"), encoding: .utf8)
        let paths = manifest.split(separator: "\n").dropFirst().compactMap { $0.split(separator: "\t").first.map(String.init) }
        let classes = Dictionary(grouping: paths) { $0.split(separator: "/").dropLast().joined(separator: "/") }
        return try classes.sorted { $0.key < $1.key }.flatMap { _, paths in
            let bySize = try paths.map { ($0, try Data(contentsOf: URL(filePath: corpus + "/" + $0)).count) }
                .sorted { $0.1 < $1.1 }.map(\.0)
            let places = [0, bySize.count / 3, bySize.count * 2 / 3, bySize.count - 1]
            return Set(places).sorted().map { bySize[$0] }
        }
    }

    @Test(.enabled(if: corpus != nil, "no corpus at CALOTYPE_CORPUS or ../shared/corpus"))
    func noFileNeedsMoreThan300Megabytes() async throws {
        let corpus = try #require(Self.corpus)
        let files = try Self.sample(of: corpus)
        let worst = Lock((bytes: 0, file: ""))
        try await checkEach(of: files) { file in
            let run = try await CommandProcess.measure("load", "--no-cache", corpus + "/" + file)
            #expect(run.status == 0 || run.status == 1, "\(file): \(run.ending)")
            #expect((1_000_000..<300_000_000).contains(run.peakMemory), "\(file): \(run.peakMemory) bytes")
            worst.withLock { if run.peakMemory > $0.bytes { $0 = (run.peakMemory, file) } }
        }
        print("corpus, memory: \(files.count) files, at most \(worst.withLock { $0 })")
    }

    /// Writes a JPEG with coloured bands.
    private func jpeg(_ name: String, _ size: PixelSize) throws -> String {
        let bitmap = try unsafe Bitmap(size: size, format: .rgba8, alpha: .opaque) { pixels, bytesPerRow in
            for y in 0..<size.height {
                unsafe UnsafeMutableRawBufferPointer(rebasing: pixels[(y * bytesPerRow)..<((y + 1) * bytesPerRow)])
                    .initializeMemory(as: UInt8.self, repeating: UInt8(y * 7 & 255))
            }
        }
        let file = try JPEGEncoder().encode(DecodedImage(bitmap), as: .jpeg, options: EncodeOptions())
        return try #require(folder).write(file, to: name)
    }

    @Test
    func aThumbnailOfALargeJPEGNeedsNoLargeBitmap() async throws {
        let folder = try #require(folder)
        // A tiny image gives the memory of the process itself with all its libraries.
        let tiny = try jpeg("tiny.jpg", PixelSize(width: 8, height: 8))
        let idle = try await CommandProcess.measure("convert", tiny, folder.file("tiny.png"), "--size", "400x400")
        let large = try jpeg("large.jpg", PixelSize(width: 6000, height: 4000))
        let run = try await CommandProcess.measure("convert", large, folder.file("large.png"), "--size", "400x400")
        #expect(idle.status == 0 && run.status == 0, "\(idle.errors) \(run.errors)")
        print("24 Mpx JPEG to 400 px: \((run.peakMemory - idle.peakMemory) / 1000) KB above the idle process")
        #expect(idle.peakMemory > 1_000_000 && run.peakMemory - idle.peakMemory < 12_000_000)
    }
}
