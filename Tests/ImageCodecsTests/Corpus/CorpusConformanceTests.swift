import Foundation
import ImageCore
import ImageDecoding
import TestBitmaps
import ImageCodecs
import Testing

/// Compares all files of the corpus with their references. `CALOTYPE_CORPUS_ONLY=TEXT` selects the paths that contain
/// the text.
@Suite(.enabled(if: Corpus.root != nil, "no corpus at CALOTYPE_CORPUS or ../shared/corpus"))
struct CorpusConformanceTests {
    let corpus: Corpus
    let registry = DecoderRegistry(.codecs)
    let only = environment("CALOTYPE_CORPUS_ONLY")

    init() throws { corpus = try Corpus(root: Corpus.root ?? "") }

    private func entries(_ expected: [String]) -> [(path: String, entry: Corpus.Entry)] {
        corpus.entries.filter { path, entry in
            expected.contains(entry.expected) && (only.map { path.contains($0) } ?? true)
        }
    }

    @Test
    func everyValidFileIsDecodedToItsImage() throws {
        var counts: [View: Counts] = [:]
        for (path, entry) in entries(["decodes"]) {
            let data = try corpus.data(path)
            guard registry.format(of: data) != nil else {
                for view in View.allCases { counts[view, default: Counts()].skipped += 1 }
                continue
            }
            // The reference of a still image has the default image of an animated PNG, even if that is not part of the
            // animation.
            let firstFrame = Self.hasSeparateDefault(data) ? entry.frameGrids?.first { $0.index == 0 } : nil
            for view in View.allCases {
                guard let (size, references) = try view.reference(of: entry, path: path, data: data),
                    !Self.hasSeparateDefault(data) || view == .stored && firstFrame != nil
                else {
                    counts[view, default: Counts()].skipped += 1
                    continue
                }
                let grids = firstFrame.map { [$0.grid] } ?? references
                do {
                    let image = try registry.decode(data, options: view.options)
                    let grid = firstFrame == nil ? Grid(image.bitmap) : Grid(image.bitmap, side: 4)
                    let difference = grids.map { grid.difference(from: $0) }.min() ?? 0
                    let tolerance = (entry.tolerance ?? 2) + view.slack(entry, path)
                    let isRight = image.size == size && difference <= tolerance && !image.isPartial
                    counts[view, default: Counts()].record(isRight, isAdvisory: entry.isAdvisory)
                    if !isRight {
                        let text = "\(path) \(view): \(image.size), not \(size); off by \(difference), tolerance \(tolerance)"
                        if entry.isAdvisory { print("advisory", text) } else { Issue.record("\(text)") }
                    }
                } catch {
                    counts[view, default: Counts()].record(false, isAdvisory: entry.isAdvisory)
                    if entry.isAdvisory {
                        print("advisory", path, error)
                    } else {
                        Issue.record("\(path) \(view): \(error)")
                    }
                }
            }
        }
        for view in View.allCases { print("corpus, valid files, \(view): \(counts[view, default: Counts()])") }
    }

    /// Whether the pixels of an animated PNG's `IDAT` come before its first frame.
    private static func hasSeparateDefault(_ data: Data) -> Bool {
        func place(_ chunk: String) -> Int? { data.range(of: Data(chunk.utf8))?.lowerBound }
        guard data.starts(with: [0x89, 0x50, 0x4E, 0x47]), let animation = place("acTL"), let pixels = place("IDAT"),
            let frame = place("fcTL")
        else { return false }
        return animation < pixels && pixels < frame
    }

    @Test
    func everyUndecodableFileIsATypedError() throws {
        var count = 0
        for (path, _) in entries(["must-fail"]) where CorpusExceptions.shown[path] == nil {
            let data = try corpus.data(path)
            for allowsPartial in [false, true] {
                var options = DecodeOptions()
                options.allowsPartial = allowsPartial
                do {
                    let image = try registry.decode(data, options: options)
                    Issue.record("\(path) gave an image of \(image.size), partial: \(image.isPartial)")
                } catch let error as ImageError {
                    #expect(!error.message.isEmpty)
                    count += 1
                }
            }
        }
        print("corpus, hopeless files: \(count) errors")
    }

    @Test
    func damagedFilesGiveAnImageOrATypedError() throws {
        var (images, partial, errors) = (0, 0, 0)
        for (path, _) in entries(["either", "truncated-may-partially-decode", "refuse-or-bounded"]) {
            let data = try corpus.data(path)
            for allowsPartial in [false, true] {
                var options = DecodeOptions()
                options.allowsPartial = allowsPartial
                do {
                    let image = try registry.decode(data, options: options)
                    if image.isPartial { partial += 1 } else { images += 1 }
                    #expect(allowsPartial || !image.isPartial, "\(path)")
                } catch let error as ImageError {
                    #expect(!error.message.isEmpty)
                    errors += 1
                }
            }
        }
        print("corpus, damaged files: \(images) images, \(partial) partial, \(errors) errors")
    }

    @Test
    func losslessWebPIsDecodedLikeTheReference() throws {
        var count = 0
        for (path, entry) in entries(["decodes"]) {
            guard let wanted = entry.webpDigest else { continue }
            var options = View.stored.options
            options.alpha = .straight
            let image = try registry.decode(corpus.data(path), options: options)
            let pixels = try RGBAEncoder().encode(image, as: .rgba, options: EncodeOptions())
            #expect(SHA256.hexDigest(of: pixels.dropFirst(8)) == wanted, "\(path)")
            count += 1
        }
        print("corpus, WebP to the bit: \(count)")
    }
}

/// A way to decode a file, and its reference.
private enum View: CaseIterable {
    case stored, oriented, sRGB

    var options: DecodeOptions {
        var options = DecodeOptions()
        options.alpha = .straight
        options.appliesOrientation = self == .oriented
        options.convertsToSRGB = self == .sRGB
        return options
    }

    /// The size, and the grids of which one must match, or `nil` when there is no reference.
    func reference(of entry: Corpus.Entry, path: String, data: Data) throws -> (PixelSize, [[Double]])? {
        guard let w = entry.width, let h = entry.height, let grid = entry.grid else { return nil }
        let stored = (PixelSize(width: w, height: h), [grid, entry.otherGrid].compactMap(\.self))
        switch self {
        case .stored: return stored
        case .oriented:
            if CorpusExceptions.withoutOrientedReference[path] != nil { return nil }
            // Most files are stored upright.
            guard let w = entry.uprightWidth, let h = entry.uprightHeight, let grid = entry.uprightGrid else { return stored }
            return (PixelSize(width: w, height: h), [grid])
        case .sRGB:
            if CorpusExceptions.withoutSRGBReference[path] != nil { return nil }
            if let grid = entry.sRGBGrid { return (stored.0, [grid]) }
            // There is no profile, or it does not change colours.
            guard let colors = PNGColors(data) else { return stored }
            var options = View.stored.options
            options.convertsTo8Bit = false
            let source = try colors.sRGB(DecoderRegistry(.codecs).decode(data, options: options).bitmap)
            return (stored.0, [Grid(source).cells.flatMap(\.self)])
        }
    }

    /// The tolerance in addition to the file's own, for converted colours.
    func slack(_ entry: Corpus.Entry, _ path: String) -> Double {
        self != .sRGB || entry.sRGBGrid == nil ? 0 : path.contains("cmyk") ? 9 : 3
    }
}

private struct Counts: CustomStringConvertible {
    var right = 0, wrong = 0, advisory = 0, skipped = 0

    mutating func record(_ isRight: Bool, isAdvisory: Bool) {
        if isRight { right += 1 } else if isAdvisory { advisory += 1 } else { wrong += 1 }
    }

    var description: String { "\(right) right, \(wrong) wrong, \(advisory) advisory, \(skipped) left out" }
}
