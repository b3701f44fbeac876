public import ImageCore
internal import ImageKernels

/// Crops an image to a size or an aspect ratio.
public struct CropTo: Processing, Hashable {
    /// The size of the part.
    public enum Area: Hashable, Sendable {
        /// A size in pixels. A side that is longer than that of the image is reduced to it.
        case size(PixelSize)
        /// The largest part with this ratio of width to height.
        case aspectRatio(width: Double, height: Double)
    }

    /// The position of the part.
    public enum Anchor: Hashable, Sendable {
        /// A fixed position.
        case gravity(Gravity)
        /// The position with the most local detail: edges and strong colours.
        case attention

        /// The name in identifiers: that of a gravity, or `attention`.
        public var name: String {
            switch self {
            case .gravity(let gravity): gravity.rawValue
            case .attention: "attention"
            }
        }
    }

    /// The size of the part.
    public let area: Area
    /// The position of the part.
    public let anchor: Anchor

    /// Creates the processor.
    public init(_ area: Area, anchor: Anchor) { (self.area, self.anchor) = (area, anchor) }

    public var identifier: String {
        switch area {
        case .size(let size): "calotype.crop(\(size),\(anchor.name))"
        case .aspectRatio(let width, let height): "calotype.crop(\(width.text):\(height.text),\(anchor.name))"
        }
    }

    public var usesPixelCoordinates: Bool { if case .size = area { true } else { false } }

    public var needsWholeImage: Bool { true }

    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) for a side or a ratio that is not positive and finite.
    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        let part = try size(in: image.size)
        if part == image.size { return image }
        let place =
            switch anchor {
            case .gravity(let gravity): gravity.place(part, in: image.size)
            case .attention: try DetailMap(image.bitmap, context: context).busiestPlace(for: part)
            }
        return image.with(
            try image.bitmap.cropped(
                x: place.x, y: place.y, width: part.width, height: part.height, threads: context.threads,
                cancellation: context.cancellation))
    }

    /// Returns the size of the part of an image of that size.
    func size(in source: PixelSize) throws(ImageError) -> PixelSize {
        switch area {
        case .size(let size):
            try require("crop", side: "width", size.width)
            try require("crop", side: "height", size.height)
            return PixelSize(width: min(size.width, source.width), height: min(size.height, source.height))
        case .aspectRatio(let width, let height):
            try require("crop", "ratio's width", width, in: 1e-6...1e6)
            try require("crop", "ratio's height", height, in: 1e-6...1e6)
            let scale = min(Double(source.width) / width, Double(source.height) / height)
            return PixelSize(
                width: max(1, min(source.width, Int((width * scale).rounded()))),
                height: max(1, min(source.height, Int((height * scale).rounded()))))
        }
    }
}

extension Processing where Self == CropTo {
    /// Crops to a size in pixels.
    public static func crop(to size: PixelSize, gravity: Gravity = .center) -> Self {
        Self(.size(size), anchor: .gravity(gravity))
    }
    /// Crops to a size in pixels, at the position with the most detail.
    public static func cropToAttention(_ size: PixelSize) -> Self { Self(.size(size), anchor: .attention) }
    /// Crops to an aspect ratio, such as 16 to 9.
    public static func crop(aspectRatio width: Double, to height: Double, anchor: CropTo.Anchor = .gravity(.center)) -> Self {
        Self(.aspectRatio(width: width, height: height), anchor: anchor)
    }
}
