internal import ImageCore
internal import ImageDecoding

/// The frames of an animated WebP. A still image is an animation of one frame.
final class WebPAnimation: AnimationSource {
    let format = ImageFormat.webp
    let canvas: PixelSize
    let orientation: Orientation
    let frames: [AnimationFrame]
    let loopCount: Int
    private let stored: [WebPFrame]
    private let profile: ColorProfile
    private let data: Data

    init(_ data: Data, limits: DecodingLimits) throws {
        self.data = data
        (canvas, orientation, loopCount, profile, stored) = try unsafe data.withUnsafeBytes { bytes in
            let container = try unsafe WebPContainer(bytes, limits: limits)
            return (
                container.size, container.orientation, container.loopCount, container.profile,
                try (0..<container.frameCount).map { try container.frame($0) }
            )
        }
        frames = stored.map(\.place)
    }

    func decodePixels(of frame: Int, options: DecodeOptions) throws -> (bitmap: Bitmap, failure: ImageError?) {
        let frame = stored[frame]
        return try unsafe data.withUnsafeBytes { bytes in
            var image = StoredImage(format: .webp, size: frame.place.size, layout: .pixels(.rgba8))
            image.hasAlpha = frame.place.hasAlpha
            image.ignoresAlpha = !image.hasAlpha
            image.profile = profile
            image.deliversWhole = true
            let decoded = try ImageAssembler(image, options: options)
                .assemble(unsafe WebPRows(bytes, frame, stored: image, options: options))
            return (decoded.bitmap, decoded.isPartial ? .truncated(.webp) : nil)
        }
    }
}
