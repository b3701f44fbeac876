internal import ImageCore
internal import ImageKernels

/// The loader's decoder, whose images have exactly the target size: a decoder may return larger ones.
struct TargetSizeDecoder: IncrementalDecoding {
    let decoder: any Decoding
    /// Whether the decoder reads animations.
    let animates: Bool

    init(decoder: any Decoding) { (self.decoder, animates) = (decoder, decoder is any AnimationDecoding) }

    var formats: [ImageFormat] { decoder.formats }

    func format(of head: Data) -> ImageFormat? { decoder.format(of: head) }

    func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo { try decoder.info(of: data, limits: limits) }

    func info(ofPrefix head: Data, limits: DecodingLimits) throws -> ImageInfo? {
        try decoder.info(ofPrefix: head, limits: limits)
    }

    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        try decoder.decode(data, options: options).resized(for: options) { try decoder.decodedSize(of: data, options: options) }
    }

    func decode(_ data: Data, from larger: DecodedImage, options: DecodeOptions) throws -> DecodedImage? {
        try decoder.decode(data, from: larger, options: options)?
            .resized(for: options) { try decoder.decodedSize(of: data, options: options) }
    }

    /// The animation in a file, whose frames ``frame(_:of:in:options:)`` makes.
    func animation(of data: Data, options: DecodeOptions) throws -> any ImageAnimation {
        guard let decoder = decoder as? any AnimationDecoding else { throw ImageError.noInput }
        return try decoder.animation(of: data, options: options)
    }

    func frame(_ index: Int, of animation: any ImageAnimation, in data: Data, options: DecodeOptions) throws -> DecodedImage {
        try animation.frame(at: index).resized(for: options) { try decoder.decodedSize(of: data, options: options) }
    }

    func embeddedThumbnail(in head: Data, options: DecodeOptions) throws -> DecodedImage? {
        try (decoder as? any IncrementalDecoding)?.embeddedThumbnail(in: head, options: options)
    }

    func makeIncrementalDecoder(for head: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? {
        guard let decoder = decoder as? any IncrementalDecoding else { return nil }
        return try decoder.makeIncrementalDecoder(for: head, options: options)
            .map { TargetSizeIncrementalDecoder(decoder: $0, options: options) }
    }
}

/// Also resizes previews and the final image of an image that arrives in pieces.
private final class TargetSizeIncrementalDecoder: IncrementalDecoder {
    private let decoder: any IncrementalDecoder
    private let options: DecodeOptions

    init(decoder: any IncrementalDecoder, options: DecodeOptions) {
        (self.decoder, self.options) = (decoder, options)
    }

    func append(_ chunk: Data) throws { try decoder.append(chunk) }

    func preview() throws -> DecodedImage? { try decoder.preview().map(resized) }

    func finish() throws -> DecodedImage { try resized(decoder.finish()) }

    /// The header is not kept, so that a decoder that has scaled a part of the way counts as one that has not.
    private func resized(_ image: DecodedImage) throws -> DecodedImage { try image.resized(for: options) { image.size } }
}
