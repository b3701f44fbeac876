public import ImageCore
public import ImageKernels

/// Scales an image into a box.
public struct Resize: Processing, Hashable {
    /// The box, in pixels. A side of `nil` follows from the other and the image's aspect ratio.
    public let width: Int?
    /// See ``width``.
    public let height: Int?
    public let mode: ContentMode
    public let filter: ResampleFilter
    /// Whether an image that is smaller than the box is enlarged.
    public let upscales: Bool
    /// Whether colours are mixed in linear light rather than as stored: brightness of fine detail stays, at several times
    /// the cost.
    public let isLinear: Bool

    /// - Parameters:
    ///   - width: pixels; `nil` follows from `height`.
    ///   - height: pixels; `nil` follows from `width`.
    ///   - mode: ``ImageCore/ContentMode/fit``. Without effect where one side is `nil`.
    ///   - filter: ``ImageKernels/ResampleFilter/lanczos3``.
    ///   - upscales: `false`.
    ///   - isLinear: `false`.
    public init(
        width: Int?, height: Int?, mode: ContentMode = .fit, filter: ResampleFilter = .lanczos3, upscales: Bool = false,
        isLinear: Bool = false
    ) {
        (self.width, self.height, self.mode, self.filter) = (width, height, mode, filter)
        (self.upscales, self.isLinear) = (upscales, isLinear)
    }

    public var identifier: String {
        let box = (width.map(String.init) ?? "") + "x" + (height.map(String.init) ?? "")
        let flags = (upscales ? ",upscale" : "") + (isLinear ? ",linear" : "")
        return "calotype.resize(\(box),\(mode.rawValue),\(filter.rawValue)\(flags))"
    }

    /// What this does to an image of that size; decoders may use it to scale while they decode.
    ///
    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) where no side is given or one is not from 1 to 1,000,000.
    public func geometry(for source: PixelSize) throws(ImageError) -> ResizeGeometry {
        let sides = 1...1_000_000
        guard sides.contains(width ?? 1), sides.contains(height ?? 1), width != nil || height != nil else {
            throw ImageError(
                .invalidRequest,
                message: "A resize needs a width or a height from 1 to 1000000 pixels, not \(width ?? 0)x\(height ?? 0).")
        }
        if let width, let height {
            return ResizeGeometry(source: source, box: PixelSize(width: width, height: height), mode: mode, upscales: upscales)
        }
        // The free side is one that the image always fits into.
        let box = PixelSize(width: width ?? 1 << 40, height: height ?? 1 << 40)
        return ResizeGeometry(source: source, box: box, mode: .fit, upscales: upscales)
    }

    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        let geometry = try geometry(for: image.size)
        try context.check(geometry.output, after: identifier)
        return image.with(
            try Resampler.resize(
                image.bitmap, to: geometry, filter: filter, isLinear: isLinear, threads: context.threads,
                cancellation: context.cancellation))
    }
}

extension Processing where Self == Resize {
    /// Scales to a width in pixels, keeping the aspect ratio; never enlarges.
    public static func resize(width: Int) -> Resize { Resize(width: width, height: nil) }

    /// Scales to a height in pixels, keeping the aspect ratio; never enlarges.
    public static func resize(height: Int) -> Resize { Resize(width: nil, height: height) }

    /// Scales into a box in pixels.
    public static func resize(
        to size: PixelSize, mode: ContentMode = .fit, filter: ResampleFilter = .lanczos3, upscales: Bool = false
    ) -> Resize {
        Resize(width: size.width, height: size.height, mode: mode, filter: filter, upscales: upscales)
    }
}
