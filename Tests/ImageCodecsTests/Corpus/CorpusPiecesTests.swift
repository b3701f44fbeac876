import ImageCore
import ImageDecoding
import ImageCodecs
import Testing

/// Decodes the corpus in pieces and truncated. Small files are cut at every byte; larger ones at fewer places, because small
/// pieces take long.
@Suite(.enabled(if: Corpus.root != nil, "no corpus at CALOTYPE_CORPUS or ../shared/corpus"))
struct CorpusPiecesTests {
    let corpus: Corpus
    let registry = DecoderRegistry(.codecs)

    init() throws { corpus = try Corpus(root: Corpus.root ?? "") }

    /// The bytes of a piece, and the size of the largest file that is decoded in such pieces.
    static let cuts = [(1, 3000), (7, 12_000), (1000, 300_000), (4096, 1_000_000)]

    @Test(arguments: cuts)
    func theFinalImageIsThatOfTheCompleteFile(piece: Int, largest: Int) throws {
        var (files, same, errors) = (0, 0, 0)
        for (path, _) in corpus.entries {
            let data = try corpus.data(path)
            guard data.count <= largest, registry.format(of: data) != nil else { continue }
            // The partial image of a damaged file may differ between both ways; a complete image may not.
            let whole = try outcome { try registry.decode(data, options: DecodeOptions()) }
            let pieces = try outcome { try fed(data, piece: piece) }
            files += 1
            switch (whole, pieces) {
            case (.success(let a), .success(let b)):
                #expect(a.bitmap.isSame(as: b.bitmap), "\(path) in pieces of \(piece)")
                same += 1
            case (.failure, .failure): errors += 1
            case (.success, .failure(let error)): Issue.record("\(path) fails in pieces of \(piece) alone: \(error)")
            case (.failure(let error), .success): Issue.record("\(path) fails whole alone, in pieces of \(piece): \(error)")
            }
        }
        print("corpus, pieces of \(piece): \(files) files, \(same) the same, \(errors) errors both ways")
    }

    @Test
    func aTruncatedFileIsPartialOrATypedError() throws {
        var (files, cuts, partial, errors, whole) = (0, 0, 0, 0, 0)
        for (path, entry) in corpus.entries where entry.expected == "decodes" {
            let data = try corpus.data(path)
            guard registry.format(of: data) != nil else { continue }
            let places = data.count < 30_000 ? 20 : data.count < 300_000 ? 3 : 0
            guard places > 0, case .success(let source) = try outcome({ try registry.decode(data, options: DecodeOptions()) })
            else { continue }
            files += 1
            for place in 1...places {
                let cut = Data(data.prefix(data.count * place / (places + 1)))
                var options = DecodeOptions()
                options.allowsPartial = place % 2 == 0
                let outcome = try outcome {
                    place % 3 == 0
                        ? try fed(cut, piece: 4096, options: options) : try registry.decode(cut, options: options)
                }
                cuts += 1
                switch outcome {
                case .failure: errors += 1
                case .success(let image) where image.isPartial:
                    #expect(options.allowsPartial, "\(path) cut at \(cut.count) of \(data.count)")
                    partial += 1
                case .success(let image):
                    // All data of the image was there, though not all that follows it.
                    #expect(
                        image.bitmap.isSame(as: source.bitmap) || entry.isAdvisory,
                        "\(path) cut at \(cut.count) of \(data.count) is called whole")
                    whole += 1
                }
            }
        }
        print("corpus, cut: \(files) files, \(cuts) cuts: \(partial) partial, \(errors) errors, \(whole) whole without the rest")
    }

    private func fed(_ data: Data, piece: Int, options: DecodeOptions = DecodeOptions()) throws -> DecodedImage {
        guard let decoder = try registry.makeIncrementalDecoder(for: data.prefix(64), options: options) else {
            throw ImageError(.unknownFormat, message: "No decoder accepts these bytes.")
        }
        var (start, previews) = (0, 0)
        while start < data.count {
            try decoder.append(data.dropFirst(start).prefix(piece))
            start += piece
            // A few previews, which must not change the result.
            if start * 4 / data.count > previews {
                previews += 1
                _ = try decoder.preview()
            }
        }
        return try decoder.finish()
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
            unsafe other.withUnsafePixels { theirs in unsafe mine.elementsEqual(theirs) }
        }
    }
}
