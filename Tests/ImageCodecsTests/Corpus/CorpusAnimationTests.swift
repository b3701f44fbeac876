import CalotypeTesting
import ImageCore
import ImageDecoding
import TestBitmaps
import ImageCodecs
import Testing

/// The animations of the corpus: their frames, durations and loop counts.
@Suite(.enabled(if: Corpus.root != nil, "no corpus at CALOTYPE_CORPUS or ../shared/corpus"))
struct CorpusAnimationTests {
    let corpus: Corpus
    let namedLoops = [
        "avif/sequence/mp4p-loop_1.avif": 2, "avif/sequence/mp4p-loop_ceiled_4.avif": 5,
        "avif/sequence/mp4p-loop_forever.avif": 0,
    ]

    init() throws { corpus = try Corpus(root: Corpus.root ?? "") }

    @Test
    func everyFrameIsComposedAsBrowsersDo() throws {
        var (files, frames) = (0, 0)
        for (path, entry) in corpus.entries where entry.expected == "decodes" && !path.hasPrefix("jpeg") {
            guard let reference = entry.frameGrids, let count = entry.frames, CorpusExceptions.animations[path] == nil else {
                continue
            }
            let data = try corpus.data(path)
            var options = DecodeOptions()
            (options.alpha, options.appliesOrientation, options.convertsToSRGB) = (.straight, false, false)
            do {
                let animation = try DecoderRegistry(.codecs).animation(of: data, options: options)
                #expect(animation.frameCount == count, "\(path)")
                let info = try DecoderRegistry(.codecs).info(of: data, limits: DecodingLimits())
                #expect(info.frameCount == count, "\(path)")
                if let durations = entry.milliseconds {
                    let ours = animation.durations.map { $0 / .milliseconds(1) }
                    #expect(zip(ours, durations).allSatisfy { abs($0 - $1) < 1 }, "\(path): \(ours), not \(durations)")
                }
                // The reference has no loop counts for animated AVIF. Some files have the repetitions in their name.
                // For GIF, the reference counts repetitions. A still image is shown once, whatever the file says.
                let repeats = path.hasPrefix("gif") && entry.loop != 0
                let loops = count == 1 ? 1 : repeats ? (entry.loop ?? 0) + 1 : entry.loop ?? 1
                if !path.hasPrefix("avif") { #expect(animation.loopCount == loops, "\(path)") }
                if let loops = namedLoops[path] { #expect(animation.loopCount == loops, "\(path)") }
                let tolerance = (entry.tolerance ?? 2) + 0.5
                for frame in reference where frame.index < animation.frameCount {
                    let grid = Grid(try animation.frame(at: frame.index).bitmap, side: 4)
                    let difference = grid.difference(from: frame.grid)
                    #expect(
                        difference <= tolerance || entry.isAdvisory, "\(path) frame \(frame.index): off by \(difference)")
                    frames += 1
                }
                files += 1
            } catch {
                Issue.record("\(path): \(error)")
            }
        }
        print("corpus, animations: \(files) files, \(frames) frames")
    }

    @Test
    func framesAreTheSameInAnyOrder() throws {
        for path in ["gif/animated/pil-dispose_bgnd_transparency.gif", "png/apng/apngk-022.png", "webp/animated/irs-anim.webp"] {
            let data = try corpus.data(path)
            let forward = try DecoderRegistry(.codecs).animation(of: data, options: DecodeOptions())
            let all = try (0..<forward.frameCount).map { try forward.frame(at: $0).bitmap.all }
            let backward = try DecoderRegistry(.codecs).animation(of: data, options: DecodeOptions())
            for index in (0..<forward.frameCount).reversed() {
                #expect(try backward.frame(at: index).bitmap.all == all[index], "\(path) \(index)")
            }
            var random = SeededGenerator(seed: 3)
            for _ in 0..<30 {
                let index = Int.random(in: 0..<forward.frameCount, using: &random)
                #expect(try forward.frame(at: index).bitmap.all == all[index])
            }
            // A frame that is decoded alone is the same.
            for index in 0..<forward.frameCount {
                let alone = try DecoderRegistry(.codecs).decode(data, options: .with { $0.frame = index }).bitmap
                #expect(alone.all == all[index])
            }
        }
    }
}
