/// A decode at a reduced size, and the processor that makes the final image from it.
public struct ReducedDecode: Sendable {
    /// The box to decode into, in pixels of the upright image.
    public var targetSize: PixelSize
    /// How the image fills the box.
    public var contentMode: ImageContentMode
    /// The processor to run on the decoded image, instead of the original one.
    public var processor: any Processing

    /// Creates a reduced decode.
    public init(targetSize: PixelSize, contentMode: ImageContentMode, processor: any Processing) {
        (self.targetSize, self.contentMode, self.processor) = (targetSize, contentMode, processor)
    }
}

extension Decoding {
    /// Returns how to decode an image that `processor` runs on next, and the processor to run: at a reduced size if the
    /// processor supports that, else `options` and `processor` unchanged. Reads only the header.
    public func reducing(
        _ data: Data, options: DecodeOptions, for processor: any Processing
    ) -> (options: DecodeOptions, processor: any Processing) {
        guard options.targetSize == nil, let reducing = processor as? any FusingProcessing, reducing.reducesDecode,
            // The decode reports an invalid header, or an image beyond the limits.
            let info = try? info(of: data, limits: options.limits.withoutPixelLimit)
        else { return (options, processor) }
        let size = options.appliesOrientation ? info.orientation.applied(to: info.size) : info.size
        guard let reduced = reducing.reducedDecode(of: size) else { return (options, processor) }
        var smaller = options
        (smaller.targetSize, smaller.contentMode) = (reduced.targetSize, reduced.contentMode)
        return (smaller, reduced.processor)
    }
}
