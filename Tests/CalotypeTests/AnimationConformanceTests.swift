import Calotype
import CalotypeTesting
import Foundation
import Testing

/// The decoders of animations pass the conformance check, and decoders that break a rule fail (FEATURES 9.5).
@Suite struct AnimationConformance {
    @Test func theGIFDecoderPasses() throws { try checkDecodingConformance(of: GIFDecoder(), files: [#require(flagGIF)]) }

    @Test func theWebPDecoderPasses() throws {
        let frames = try GIFDecoder().animation(of: #require(flagGIF), options: DecodeOptions())
        let file = try WebPEncoder().encode(frames, as: .webp, options: EncodeOptions())
        try checkDecodingConformance(of: WebPDecoder(), files: [#require(file)])
    }

    @Test(arguments: [
        (Fault.count, "has 4"), (.order, "read backwards"), (.index, "returned a frame"), (.cancellation, "cancelled before"),
        (.first, "differs from its image"), (.durations, "negative"),
    ])
    func aDecoderWithAFaultFails(_ fault: Fault, _ sentence: String) throws {
        let error = try #require(throws: ConformanceFailure.self) {
            try checkDecodingConformance(of: Careless(fault: fault), files: [#require(flagGIF)])
        }
        #expect(error.message.contains(sentence), "\(error.message)")
    }

    enum Fault { case count, order, index, cancellation, first, durations }

    /// The GIF decoder with a fault.
    private struct Careless: AnimationDecoding {
        let fault: Fault
        var formats: [ImageFormat] { [.gif] }
        func format(of prefix: Data) -> ImageFormat? { GIFDecoder().format(of: prefix) }
        func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo { try GIFDecoder().info(of: data, limits: limits) }
        func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
            try GIFDecoder().decode(data, options: options)
        }
        func animation(of data: Data, options: DecodeOptions) throws -> any ImageAnimation {
            var options = options
            if fault == .cancellation { options.cancellation = nil }
            return CarelessFrames(try GIFDecoder().animation(of: data, options: options), fault)
        }
    }

    private final class CarelessFrames: ImageAnimation {
        private let frames: any ImageAnimation
        private let fault: Fault
        private var calls = 0
        init(_ frames: any ImageAnimation, _ fault: Fault) { (self.frames, self.fault) = (frames, fault) }

        var durations: [Duration] {
            switch fault {
            case .count: frames.durations + [.seconds(1)]
            case .durations: [.seconds(-1)] + frames.durations.dropFirst()
            default: frames.durations
            }
        }
        var loopCount: Int { frames.loopCount }

        func frame(at index: Int) throws -> DecodedImage {
            calls += 1
            switch fault {
            case .order: return try frames.frame(at: min(calls - 1, 2))
            case .index: return try frames.frame(at: max(0, min(2, index)))
            case .first: return try frames.frame(at: index == 0 ? 1 : index)
            default: return try frames.frame(at: index)
            }
        }
    }
}
