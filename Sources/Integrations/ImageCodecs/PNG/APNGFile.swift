internal import ImageCore
internal import ImageDecoding

/// An animated PNG, or a still one as an animation of one frame. Each frame is decoded as a PNG file that is composed
/// of the shared chunks and the frame's data.
final class APNGFile: AnimationSource {
    let format = ImageFormat.png
    let canvas: PixelSize
    let orientation: Orientation
    let frames: [AnimationFrame]
    let loopCount: Int
    private let metadata: PNGMetadata
    private let header: Data
    /// The chunks before the first data that describe how pixels are stored.
    private let shared: Data
    private let data: [[PNGChunks.Chunk]]

    init(_ file: Data, limits: DecodingLimits) throws(ImageError) {
        metadata = PNGMetadata(file, limits: limits)
        orientation = metadata.orientation
        let animation = metadata.animation
        loopCount = animation.loopCount
        let chunks = PNGChunks(file)
        guard let first = chunks.first(where: { _ in true }), first.type == "IHDR", first.content.count == 13,
            let width = ByteReader(first.content).uint32(at: 0, bigEndian: true),
            let height = ByteReader(first.content).uint32(at: 4, bigEndian: true)
        else { throw .truncated(.png) }
        header = first.content
        canvas = PixelSize(width: width, height: height)
        guard width > 0, height > 0 else {
            throw .damaged(.png, "its header has no image size")
        }
        try limits.check(canvas, bytesPerPixel: 0)
        guard animation.frames.count <= limits.frames else { throw .tooManyFrames(.png, limits) }
        shared = chunks.prefix { $0.type != "IDAT" }.reduce(into: Data()) { shared, chunk in
            let kinds = ["PLTE", "tRNS", "iCCP", "sRGB", "gAMA", "cHRM", "cICP", "sBIT"]
            if kinds.contains(chunk.type), chunk.isIntact { shared.append(PNGChunks.chunk(chunk.type, chunk.content)) }
        }
        let pixels = chunks.filter { $0.type == "IDAT" }
        if !animation.frames.isEmpty {
            (frames, data) = (animation.frames, animation.data)
        } else if !pixels.isEmpty {
            frames = [AnimationFrame(x: 0, y: 0, size: canvas, duration: .zero, blends: false, hasAlpha: true)]
            data = [pixels]
        } else {
            (frames, data) = ([], [])
        }
    }

    func decodePixels(of frame: Int, options: DecodeOptions) throws -> (bitmap: Bitmap, failure: ImageError?) {
        let size = frames[frame].size
        if frames.count > 1, let reason = metadata.animation.failures[frame] {
            throw ImageError.damaged(.png, "frame \(frame + 1) of the animation \(reason)")
        }
        guard !data[frame].isEmpty else { throw ImageError.truncated(.png) }
        guard data[frame].allSatisfy(\.isIntact) else {
            throw ImageError.damaged(.png, "the checksum of frame \(frame + 1) of the animation is wrong")
        }
        var file = Data(PNGChunks.signature)
        file.append(PNGChunks.chunk("IHDR", PNGChunks.big(size.width) + PNGChunks.big(size.height) + header.dropFirst(8)))
        file.append(shared)
        for part in data[frame] { file.append(PNGChunks.chunk("IDAT", part.content.dropFirst(part.type == "fdAT" ? 4 : 0))) }
        file.append(PNGChunks.chunk("IEND", Data()))
        let image = try PNGDecoder.decodeStill(file, metadata: metadata, options: options, checksCRC: false)
        return (image.bitmap, image.isPartial ? .truncated(.png) : nil)
    }
}
