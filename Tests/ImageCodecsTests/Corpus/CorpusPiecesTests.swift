import Foundation
import ImageCore
import ImageDecoding
import ImageCodecs
import Testing
import Timing

/// Makes previews of the corpus, and decodes it truncated. Small files arrive in small pieces; larger ones in larger
/// pieces, because small pieces take long.
@Suite(.enabled(if: Corpus.root != nil, "no corpus at CALOTYPE_CORPUS or ../shared/corpus"))
struct CorpusPiecesTests {
    let corpus: Corpus
    let registry = DecoderRegistry(.codecs)

    init() throws { corpus = try Corpus(root: Corpus.root ?? "") }

    /// The bytes of a piece, and the size of the largest file that is decoded in such pieces.
    static let cuts = [(7, 3000), (100, 12_000), (4096, 300_000)]

    @Test(arguments: cuts)
    func previewsHaveTheSizeOfTheImage(piece: Int, largest: Int) async throws {
        let counts = Lock((files: 0, previews: 0, errors: 0))
        try await checkEach(of: corpus.entries.map(\.path)) { path in
            let data = try corpus.data(path)
            guard data.count <= largest, registry.format(of: data) != nil else { return }
            counts.withLock { $0.files += 1 }
            do {
                let found = try registry.previews(of: data, piece: piece)
                counts.withLock { $0.previews += found.count }
                guard !found.isEmpty, let whole = try? registry.decode(data, options: DecodeOptions()) else { return }
                #expect(found.allSatisfy { $0.isPreview && $0.size == whole.size }, "\(path) in pieces of \(piece)")
            } catch let error as ImageError {
                #expect(!error.message.isEmpty)
                counts.withLock { $0.errors += 1 }
            }
        }
        print("corpus, pieces of \(piece): \(counts.withLock { $0 })")
    }

    @Test
    func aTruncatedFileIsPartialOrATypedError() async throws {
        let counts = Lock((files: 0, cuts: 0, partial: 0, errors: 0, wholeWithoutTheRest: 0))
        try await checkEach(of: corpus.entries.filter { $0.entry.expected == "decodes" }) { path, entry in
            let data = try corpus.data(path)
            guard registry.format(of: data) != nil else { return }
            let places = data.count < 30_000 ? 20 : data.count < 300_000 ? 3 : 0
            guard places > 0, case .success(let source) = try outcome({ try registry.decode(data, options: DecodeOptions()) })
            else { return }
            counts.withLock { $0.files += 1 }
            for place in 1...places {
                let cut = Data(data.prefix(data.count * place / (places + 1)))
                var options = DecodeOptions()
                options.allowsPartial = place % 2 == 0
                let outcome = try outcome { try registry.decode(cut, options: options) }
                counts.withLock { $0.cuts += 1 }
                switch outcome {
                case .failure: counts.withLock { $0.errors += 1 }
                case .success(let image) where image.isPartial:
                    #expect(options.allowsPartial, "\(path) cut at \(cut.count) of \(data.count)")
                    counts.withLock { $0.partial += 1 }
                case .success(let image):
                    // All data of the image was there, though not all that follows it.
                    #expect(
                        image.bitmap.isSame(as: source.bitmap) || entry.isAdvisory,
                        "\(path) cut at \(cut.count) of \(data.count) is called whole")
                    counts.withLock { $0.wholeWithoutTheRest += 1 }
                }
            }
        }
        print("corpus, cut: \(counts.withLock { $0 })")
    }

    /// Returns an image or a typed error, and throws any other error.
    private func outcome(_ body: () throws -> DecodedImage) throws -> Result<DecodedImage, ImageError> {
        do {
            return .success(try body())
        } catch let error as ImageError {
            #expect(!error.message.isEmpty)
            return .failure(error)
        }
    }
}

extension Bitmap {
    /// Whether every byte of every pixel is the same.
    func isSame(as other: Bitmap) -> Bool {
        guard size == other.size, format == other.format, alpha == other.alpha else { return false }
        return unsafe withUnsafePixels { mine in
            unsafe other.withUnsafePixels { theirs in
                guard let a = mine.baseAddress, let b = theirs.baseAddress else { return mine.count == theirs.count }
                return unsafe mine.count == theirs.count && memcmp(a, b, mine.count) == 0
            }
        }
    }
}
