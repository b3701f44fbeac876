/// A processor that can be put together with its neighbours, or with the decoding before it, to save passes over memory.
///
/// Asked by the engine when it lays out a load's work; always synchronous, and cheap: nothing here touches pixels. What
/// comes of it is the picture that the processors give one after the other, so identifiers and cache keys do not change.
///
/// **Must not**: change the result by more than one level by ``fused(with:)``, or visibly by ``reducedDecode(of:)``.
public protocol FusingProcessing: Processing {
    /// The one processor that does what this one and then `next` do; `nil` where there is none.
    func fused(with next: any Processing) -> (any Processing)?

    /// Whether ``reducedDecode(of:)`` can answer at all. The engine then decodes and processes in one step, of which the
    /// full picture is no by-product that other loads could share.
    var reducesDecode: Bool { get }

    /// A shorter way from the bytes of a picture to this processor's result; `nil` where it needs the picture in full.
    ///
    /// - Parameter source: the full size of the picture, upright.
    func reducedDecode(of source: PixelSize) -> ReducedDecode?
}

extension FusingProcessing {
    public func fused(with next: any Processing) -> (any Processing)? { nil }
    public var reducesDecode: Bool { false }
    public func reducedDecode(of source: PixelSize) -> ReducedDecode? { nil }
}

/// A decode to less than the full size, and what makes a processor's result of that.
public struct ReducedDecode: Sendable {
    /// The box to decode into, in pixels of the upright picture.
    public var targetSize: PixelSize
    public var contentMode: ContentMode
    /// Run on the decoded picture instead of the processor that was asked.
    public var processor: any Processing

    public init(targetSize: PixelSize, contentMode: ContentMode, processor: any Processing) {
        (self.targetSize, self.contentMode, self.processor) = (targetSize, contentMode, processor)
    }
}

/// Neighbours in a list of processors that run as one.
public struct ProcessingRun: Sendable {
    /// Their places in the list.
    public var range: Range<Int>
    /// Does what they do in order.
    public var processor: any Processing

    /// The list in runs, in order, each as long as its processors can be fused.
    public static func runs(of processors: [any Processing]) -> [ProcessingRun] {
        var runs: [ProcessingRun] = []
        for (index, processor) in processors.enumerated() {
            if let last = runs.last, let both = (last.processor as? any FusingProcessing)?.fused(with: processor) {
                runs[runs.count - 1] = ProcessingRun(range: last.range.lowerBound..<index + 1, processor: both)
            } else {
                runs.append(ProcessingRun(range: index..<index + 1, processor: processor))
            }
        }
        return runs
    }
}

extension Decoding {
    /// How to decode a picture that `processor` is run on next, and what to run then: at a reduced size where the processor
    /// allows that, else as the options say and the processor itself. Reads the header only.
    public func reducing(
        _ data: Data, options: DecodeOptions, for processor: any Processing
    ) -> (options: DecodeOptions, processor: any Processing) {
        guard options.targetSize == nil, let reducing = processor as? any FusingProcessing, reducing.reducesDecode,
            // A header that cannot be read, or an image beyond the limits, is the decode's to report.
            let info = try? info(of: data, limits: options.limits.withoutPixelLimit)
        else { return (options, processor) }
        let size = options.appliesOrientation ? info.orientation.applied(to: info.size) : info.size
        guard let reduced = reducing.reducedDecode(of: size) else { return (options, processor) }
        var smaller = options
        (smaller.targetSize, smaller.contentMode) = (reduced.targetSize, reduced.contentMode)
        return (smaller, reduced.processor)
    }
}
