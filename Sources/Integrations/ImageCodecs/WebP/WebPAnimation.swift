import CCalotypeWebP
import ImageCore
import ImageDecoding

/// The frames of an animated WebP. A still image is an animation of one frame.
final class WebPAnimation: AnimationSource {
    let format = ImageFormat.webp
    let canvas: PixelSize
    let orientation: Orientation
    let frames: [AnimationFrame]
    let loopCount: Int?
    private let profile: ColorProfile
    private let data: Data
    /// The range of each frame's image in the file.
    private let ranges: [Range<Int>]

    init(_ data: Data, limits: DecodingLimits) throws {
        self.data = data
        let found = try unsafe data.withUnsafeBytes { bytes in
            let container = try unsafe WebPContainer(bytes, limits: limits)
            var (frames, ranges) = ([AnimationFrame](), [Range<Int>]())
            for index in 0..<Int(container.info.frames) {
                let frame = try container.frame(index)
                frames.append(
                    AnimationFrame(
                        x: frame.x, y: frame.y, size: frame.size, seconds: Double(frame.milliseconds) / 1000,
                        disposal: frame.clearsAfter ? .clear : .keep, blends: frame.blends, hasAlpha: frame.hasAlpha))
                guard let base = bytes.baseAddress, let start = unsafe frame.bytes.baseAddress else {
                    throw ImageError.truncated(.webp)
                }
                let offset = unsafe UnsafeRawPointer(start) - base
                ranges.append(offset..<(offset + frame.byteCount))
            }
            return (
                container.size, container.chunk("EXIF").map(EXIFOrientation.parse) ?? .up, frames,
                container.info.is_animated ? Int(container.info.loops) : nil, ColorProfile(embedded: container.chunk("ICCP")),
                ranges
            )
        }
        (canvas, orientation, frames, loopCount, profile, ranges) = found
    }

    func pixels(of frame: Int, options: DecodeOptions) throws -> (bitmap: Bitmap, failure: ImageError?) {
        let options = options.forFramePixels
        return try unsafe data.withUnsafeBytes { bytes in
            let fragment = unsafe UnsafeRawBufferPointer(rebasing: bytes[ranges[frame]]).bindMemory(to: UInt8.self)
            var stored = StoredImage(format: .webp, size: frames[frame].size, layout: .rgba8)
            stored.hasAlpha = frames[frame].hasAlpha
            stored.profile = profile
            stored.deliversWhole = true
            let rows = unsafe WebPRows(fragment, size: stored.size, stored: stored, options: options)
            let image = try ImageAssembler(stored, options: options).assemble(rows)
            return (image.bitmap, image.isPartial ? .truncated(.webp) : nil)
        }
    }
}
