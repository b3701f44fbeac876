public import ImageCore

/// An animation whose frames are processed when they are requested. Only the last frame is kept.
///
/// ```swift
/// func thumbnail(_ file: Data) throws -> any ImageAnimation {
///     let processors: [any Processing] = [.resize(width: 160), .roundedCorners(radius: 12)]
///     // Frames are decoded no larger than the first processor needs.
///     let decoders = DecoderRegistry(.codecs)
///     let (options, first) = decoders.reducing(file, options: DecodeOptions(), for: Composition(processors))
///     return ProcessedAnimation(try decoders.animation(of: file, options: options), processors: [first])
/// }
/// ```
///
/// Every frame is processed separately, so a crop by attention or a trim may use different parts of the frames. Use it
/// from one task at a time.
public final class ProcessedAnimation: ImageAnimation {
    private let animation: any ImageAnimation
    private let processors: [any Processing]
    private let context: ProcessingContext
    private var last: (index: Int, image: DecodedImage)?

    /// - Parameters:
    ///   - animation: the animation to process.
    ///   - processors: the processors to run on each frame, in order. Adjacent ones are fused if possible.
    ///   - context: the context of every run.
    public init(
        _ animation: any ImageAnimation, processors: [any Processing], context: ProcessingContext = ProcessingContext()
    ) {
        self.animation = animation
        self.processors = ProcessingRun.runs(of: processors).map(\.processor)
        self.context = context
    }

    public var durations: [Duration] { animation.durations }
    public var loopCount: Int { animation.loopCount }

    /// - Throws: what the animation and the processors throw.
    public func frame(at index: Int) throws -> DecodedImage {
        if let last, last.index == index { return last.image }
        var image = try animation.frame(at: index)
        for processor in processors {
            try context.checkCancellation()
            image = try processor.process(image, context: context)
        }
        last = (index, image)
        return image
    }
}
