internal import ImageCore
internal import ImageKernels

/// The loader's decoder, whose images have exactly the target size: a decoder may return larger ones.
struct TargetSizeDecoder: Decoding {
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
        try decoder.decodeToTargetSize(data, options: options)
    }

    func decode(_ data: Data, from larger: DecodedImage, options: DecodeOptions) throws -> DecodedImage? {
        if options.targetSize == nil || larger.isPartial { return nil }
        return try decoder.scaleDown(larger, of: data, options: options)
    }

    /// The animation in a file, whose frames ``frame(_:of:in:options:)`` makes.
    func animation(of data: Data, options: DecodeOptions) throws -> any ImageAnimation {
        guard let decoder = decoder as? any AnimationDecoding else { throw ImageError.noInput }
        return try decoder.animation(of: data, options: options)
    }

    func frame(_ index: Int, of animation: any ImageAnimation, in data: Data, options: DecodeOptions) throws -> DecodedImage {
        try decoder.scaleDown(animation.frame(at: index), of: data, options: options)
    }
}
