internal import ImageCore
internal import ImageDecoding

/// The structure of an animated PNG (PNG specification, third edition, 4.9). `acTL` announces the animation and `fcTL`
/// begins a frame, whose data is in `IDAT` for the first frame and otherwise in `fdAT` after a sequence number. Each
/// frame is decoded as a PNG file that is composed of the shared chunks and the frame's data.
final class APNGFile: AnimationSource {
    let format = ImageFormat.png
    let canvas: PixelSize
    let orientation: Orientation
    private(set) var frames: [AnimationFrame] = []
    let loopCount: Int
    private let metadata: PNGMetadata
    private let header: Data
    /// The chunks before the first data that describe how pixels are stored.
    private var shared = Data()
    private var data: [[Data]] = []

    init(_ file: Data, limits: DecodingLimits) throws(ImageError) {
        metadata = PNGMetadata(file, limits: limits)
        orientation = metadata.orientation
        var chunks = PNGChunks(file)
        guard let first = chunks.next(), first.type == "IHDR", first.content.count == 13,
            let width = ByteReader(first.content).uint32(at: 0, bigEndian: true),
            let height = ByteReader(first.content).uint32(at: 4, bigEndian: true)
        else { throw .truncated(.png) }
        header = first.content
        canvas = PixelSize(width: width, height: height)
        guard width > 0, height > 0 else {
            throw .damaged(.png, "its header has no image size")
        }
        loopCount = metadata.plays ?? 1
        try limits.check(canvas, bytesPerPixel: 0)
        try readFrames(chunks, limits: limits)
    }

    private func readFrames(_ chunks: PNGChunks, limits: DecodingLimits) throws(ImageError) {
        var (sequence, hasPixels) = (0, false)
        func take(_ number: Int?) throws(ImageError) {
            guard number == sequence else {
                throw .damaged(.png, "its frames are not numbered in order")
            }
            sequence += 1
        }
        for chunk in chunks {
            switch chunk.type {
            case "fcTL":
                try take(ByteReader(chunk.content).uint32(at: 0, bigEndian: true))
                try addFrame(ByteReader(chunk.content))
                guard frames.count <= limits.frames else { throw .tooManyFrames(.png, limits) }
            case "IDAT":
                hasPixels = true
                if frames.count == 1 { data[0].append(chunk.content) }
            case "fdAT":
                try take(ByteReader(chunk.content).uint32(at: 0, bigEndian: true))
                guard !frames.isEmpty else { throw .damaged(.png, "frame data precedes the first frame") }
                data[frames.count - 1].append(chunk.content.dropFirst(4))
            case "PLTE", "tRNS", "iCCP", "sRGB", "gAMA", "cHRM", "cICP", "sBIT":
                if !hasPixels { shared.append(PNGChunks.chunk(chunk.type, chunk.content)) }
            default: break
            }
        }
        if metadata.frames == 0, hasPixels, frames.isEmpty { addStill(chunks) }
    }

    /// A still image is an animation of one frame.
    private func addStill(_ chunks: PNGChunks) {
        frames = [AnimationFrame(x: 0, y: 0, size: canvas, duration: .zero, blends: false, hasAlpha: true)]
        data = [chunks.filter { $0.type == "IDAT" }.map(\.content)]
    }

    /// `fcTL`: sequence number, size, position, duration as a fraction of seconds, disposal, blending.
    private func addFrame(_ content: ByteReader) throws(ImageError) {
        let numbers = [4, 8, 12, 16].compactMap { content.uint32(at: $0, bigEndian: true) }
        guard numbers.count == 4, let numerator = content.uint16(at: 20, bigEndian: true),
            let denominator = content.uint16(at: 22, bigEndian: true), let disposal = content.byte(at: 24),
            let blending = content.byte(at: 25), numbers[0] > 0, numbers[1] > 0,
            numbers[2] + numbers[0] <= canvas.width, numbers[3] + numbers[1] <= canvas.height
        else { throw .damaged(.png, "a frame is not inside the canvas") }
        var frame = AnimationFrame(
            x: numbers[2], y: numbers[3], size: PixelSize(width: numbers[0], height: numbers[1]),
            // A denominator of 0 means hundredths.
            duration: .seconds(numerator) / (denominator == 0 ? 100 : denominator), blends: blending == 1, hasAlpha: true)
        frame.disposal = disposal == 1 ? .clear : disposal == 2 ? .restore : .keep
        // There is no frame before the first one to restore.
        if frames.isEmpty, frame.disposal == .restore { frame.disposal = .clear }
        frames.append(frame)
        data.append([])
    }

    func decodePixels(of frame: Int, options: DecodeOptions) throws -> (bitmap: Bitmap, failure: ImageError?) {
        let size = frames[frame].size
        guard !data[frame].isEmpty else { throw ImageError.truncated(.png) }
        var file = Data(PNGChunks.signature)
        file.append(PNGChunks.chunk("IHDR", PNGChunks.big(size.width) + PNGChunks.big(size.height) + header.dropFirst(8)))
        file.append(shared)
        for part in data[frame] { file.append(PNGChunks.chunk("IDAT", part)) }
        file.append(PNGChunks.chunk("IEND", Data()))
        let image = try PNGDecoder.decodeStill(file, metadata: metadata, options: options, checksCRC: false)
        return (image.bitmap, image.isPartial ? .truncated(.png) : nil)
    }
}
