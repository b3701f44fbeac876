public import ImageCore
public import ImageKernels

/// Scales an image into a box.
public struct Resize: Processing, Hashable {
    /// The width of the box, in pixels. A side that is `nil` results from the other side and the aspect ratio of the
    /// image.
    public let width: Int?
    /// The height of the box, in pixels; see ``width``.
    public let height: Int?
    /// How the image fills the box. Has no effect if a side is `nil`.
    public let mode: ImageContentMode
    /// The filter.
    public let filter: ResampleFilter
    /// Whether an image that is smaller than the box is enlarged.
    public let upscales: Bool
    /// Whether colours are mixed in linear light instead of as stored. This keeps the brightness of fine detail, but
    /// takes several times as long.
    public let isLinear: Bool

    /// Creates the processor.
    ///
    /// - Parameters:
    ///   - width: the width of the box in pixels; `nil` if only the height matters.
    ///   - height: the height of the box in pixels; `nil` if only the width matters.
    ///   - mode: how the image fills the box; ``ImageCore/ImageContentMode/fit``. Has no effect if a side is `nil`.
    ///   - filter: the filter; ``ImageKernels/ResampleFilter/lanczos3``.
    ///   - upscales: whether an image that is smaller than the box is enlarged; `false`.
    ///   - isLinear: whether colours are mixed in linear light; `false`.
    public init(
        width: Int?, height: Int?, mode: ImageContentMode = .fit, filter: ResampleFilter = .lanczos3, upscales: Bool = false,
        isLinear: Bool = false
    ) {
        (self.width, self.height, self.mode, self.filter) = (width, height, mode, filter)
        (self.upscales, self.isLinear) = (upscales, isLinear)
    }

    /// Whether the result has other proportions than the image.
    public var needsWholeImage: Bool { width != nil && height != nil && mode != .fit }

    public var identifier: String {
        let box = (width.map(String.init) ?? "") + "x" + (height.map(String.init) ?? "")
        let flags = (upscales ? ",upscale" : "") + (isLinear ? ",linear" : "")
        return "calotype.resize(\(box),\(mode.rawValue),\(filter.rawValue)\(flags))"
    }

    /// Returns the geometry for an image of that size. Decoders may use it to scale while they decode.
    ///
    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) if no side is set or one is not from 1 to 1,000,000.
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
        // The side without a value is large enough for any image.
        let box = PixelSize(width: width ?? 1 << 40, height: height ?? 1 << 40)
        return ResizeGeometry(source: source, box: box, mode: .fit, upscales: upscales)
    }

    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        try scale(image, to: geometry(for: image.size), context: context)
    }

    /// Scales a part of an image as this processor does.
    func scale(_ image: DecodedImage, to geometry: ResizeGeometry, context: ProcessingContext) throws -> DecodedImage {
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
        to size: PixelSize, mode: ImageContentMode = .fit, filter: ResampleFilter = .lanczos3, upscales: Bool = false
    ) -> Resize {
        Resize(width: size.width, height: size.height, mode: mode, filter: filter, upscales: upscales)
    }
}
