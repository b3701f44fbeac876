public import ImageCore
internal import ImageKernels

/// Cuts a part of a given size or shape out of an image.
public struct CropTo: Processing, Hashable {
    /// What is cut out.
    public enum Area: Hashable, Sendable {
        /// So many pixels, or the image's own side where that is shorter.
        case size(PixelSize)
        /// The largest part of this shape, as width to height.
        case aspectRatio(width: Double, height: Double)
    }

    /// Where it is taken from.
    public enum Anchor: Hashable, Sendable {
        /// A fixed position.
        case gravity(Gravity)
        /// Where the most local detail is: edges and strong colours.
        case attention

        /// As in identifiers: a gravity's name, or `attention`.
        public var name: String {
            switch self {
            case .gravity(let gravity): gravity.rawValue
            case .attention: "attention"
            }
        }
    }

    public let area: Area
    public let anchor: Anchor

    public init(_ area: Area, anchor: Anchor) { (self.area, self.anchor) = (area, anchor) }

    public var identifier: String {
        switch area {
        case .size(let size): "calotype.crop(\(size),\(anchor.name))"
        case .aspectRatio(let width, let height): "calotype.crop(\(width.text):\(height.text),\(anchor.name))"
        }
    }

    public var usesPixelCoordinates: Bool { if case .size = area { true } else { false } }

    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) for a side or a ratio that is not positive and finite.
    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        let part = try size(in: image.size)
        if part == image.size { return image }
        let place: (x: Int, y: Int)
        switch anchor {
        case .gravity(let gravity): place = gravity.place(part, in: image.size)
        case .attention: place = try DetailMap(image.bitmap, context: context).busiestPlace(for: part)
        }
        return image.with(
            try image.bitmap.cropped(
                x: place.x, y: place.y, width: part.width, height: part.height, threads: context.threads,
                cancellation: context.cancellation))
    }

    /// The part's size in an image of that size.
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
    /// Cuts out so many pixels.
    public static func crop(to size: PixelSize, gravity: Gravity = .center) -> Self {
        Self(.size(size), anchor: .gravity(gravity))
    }
    /// Cuts out so many pixels where the most detail is.
    public static func cropToAttention(_ size: PixelSize) -> Self { Self(.size(size), anchor: .attention) }
    /// Cuts out the largest part of a shape, such as 16 to 9.
    public static func crop(aspectRatio width: Double, to height: Double, anchor: CropTo.Anchor = .gravity(.center)) -> Self {
        Self(.aspectRatio(width: width, height: height), anchor: anchor)
    }
}
