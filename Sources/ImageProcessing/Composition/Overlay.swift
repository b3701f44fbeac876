public import ImageCore
internal import ImageKernels

/// Draws another image over an image, such as a watermark.
public struct Overlay: Processing {
    /// The positions of copies.
    public enum Placement: Hashable, Sendable {
        /// One copy, `margin` pixels from the edges that the gravity names.
        case at(Gravity, margin: Int)
        /// Copies side by side over the whole image, from the top left, `gap` pixels apart.
        case tiled(gap: Int)
    }

    /// The image to draw.
    public let overlay: DecodedImage
    /// Identifies the overlay: equal identifiers mean the same image.
    public let id: String
    /// The positions of copies.
    public let placement: Placement
    /// Multiplies the overlay's alpha; from 0 to 1.
    public let opacity: Double

    /// Creates the processor.
    ///
    /// - Parameters:
    ///   - overlay: the image to draw.
    ///   - id: identifies the overlay; equal identifiers mean the same image.
    ///   - placement: the positions of copies.
    ///   - opacity: the factor of the alpha of the overlay; from 0 to 1.
    public init(_ overlay: DecodedImage, id: String, placement: Placement, opacity: Double) {
        (self.overlay, self.id, self.placement, self.opacity) = (overlay, id, placement, opacity)
    }

    public var identifier: String {
        switch placement {
        case .at(let gravity, let margin): "calotype.overlay(\(id),\(gravity.rawValue),\(margin),\(opacity.text))"
        case .tiled(let gap): "calotype.overlay(\(id),tiled,\(gap),\(opacity.text))"
        }
    }

    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) for an opacity that is not from 0 to 1, or a margin or gap
    ///   that is not from 0 to 1,000,000.
    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        try require("overlay", "opacity", opacity, in: 0...1)
        let size = overlay.size
        switch placement {
        case .at(let gravity, let margin):
            try require("overlay", "margin", Double(margin), in: 0...1_000_000)
            let (x, y) = gravity.place(size, in: image.size)
            // The margin counts from the edge inwards.
            func inwards(_ share: Double) -> Int { Int(1 - 2 * share) * margin }
            return image.with(
                try image.bitmap.overlaid(
                    with: overlay.bitmap, x: x + inwards(gravity.horizontal), y: y + inwards(gravity.vertical), opacity: opacity,
                    threads: context.threads, cancellation: context.cancellation))
        case .tiled(let gap):
            try require("overlay", "gap", Double(gap), in: 0...1_000_000)
            return image.with(
                try image.bitmap.overlaid(
                    with: overlay.bitmap, opacity: opacity, threads: context.threads, cancellation: context.cancellation
                ) { row, lay in
                    let line = row % (size.height + gap)
                    guard line < size.height else { return }
                    for x in stride(from: 0, to: image.size.width, by: size.width + gap) { lay(x, line, size.width) }
                })
        }
    }
}

extension Processing where Self == Overlay {
    /// Draws a copy of an image at a gravity. `id` identifies the image.
    public static func overlay(
        _ image: DecodedImage, id: String, gravity: Gravity = .bottomRight, margin: Int = 0, opacity: Double = 1
    ) -> Self {
        Self(image, id: id, placement: .at(gravity, margin: margin), opacity: opacity)
    }

    /// Covers the image with copies of another image, which `id` identifies.
    public static func tiledOverlay(_ image: DecodedImage, id: String, gap: Int = 0, opacity: Double = 1) -> Self {
        Self(image, id: id, placement: .tiled(gap: gap), opacity: opacity)
    }
}
