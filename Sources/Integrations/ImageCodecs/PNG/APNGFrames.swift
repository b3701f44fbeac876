internal import ImageCore
internal import ImageDecoding

/// The frames of an animated PNG (PNG specification, third edition, 4.9). `acTL` announces the animation and `fcTL`
/// begins a frame, whose data is in `IDAT` for the first frame and otherwise in `fdAT` after a sequence number.
///
/// As in browsers, frames beyond the announced number do not count, and a file whose first frame is invalid is a still
/// image. Another invalid frame is an error when it is shown.
struct APNGFrames {
    private(set) var frames: [AnimationFrame] = []
    /// The chunks with the data of each frame.
    private(set) var data: [[PNGChunks.Chunk]] = []
    /// What is wrong with a frame, by its index.
    private(set) var failures: [Int: String] = [:]
    /// How often the animation is shown; 0 for ever, 1 for a still image.
    var loopCount: Int { frames.count > 1 ? plays : 1 }
    private var plays = 1
    /// Whether the image in `IDAT` is not part of the animation, because no frame begins before it.
    var hasSeparateDefault: Bool { announced > 0 && !beginsWithPixels }
    private var beginsWithPixels = false
    private var announced = 0
    private var canvas = PixelSize(width: 0, height: 0)
    private var sequence = 0
    private var hasPixels = false
    /// Whether a frame begins after the last that is announced.
    private var isOver = false

    /// Reads the next chunk of the file.
    mutating func read(_ chunk: PNGChunks.Chunk) {
        let content = ByteReader(chunk.content)
        switch chunk.type {
        case "IHDR":
            canvas.width = content.uint32(at: 0, bigEndian: true) ?? 0
            canvas.height = content.uint32(at: 4, bigEndian: true) ?? 0
        case "IDAT":
            hasPixels = true
            if frames.count == 1, !hasSeparateDefault { data[0].append(chunk) }
        case "acTL" where announced == 0 && !hasPixels && content.count == 8 && chunk.isIntact:
            announced = content.uint32(at: 0, bigEndian: true) ?? 0
            plays = content.uint32(at: 4, bigEndian: true) ?? 0
        // The announcement may follow the first frame's control.
        case "fcTL" where (announced > 0 || !hasPixels) && content.count == 26 && chunk.isIntact:
            isOver = isOver || announced > 0 && frames.count >= announced
            if !isOver { readControl(content) }
        case "fdAT" where announced > 0 && !isOver:
            checkSequence(content)
            if !frames.isEmpty { data[frames.count - 1].append(chunk) }
        default: break
        }
    }

    /// `fcTL`: sequence number, size, position, duration as a fraction of seconds, disposal, blending.
    private mutating func readControl(_ content: ByteReader) {
        let numbers = [4, 8, 12, 16].map { content.uint32(at: $0, bigEndian: true) ?? 0 }
        let (numerator, denominator) = (
            content.uint16(at: 20, bigEndian: true) ?? 0, content.uint16(at: 22, bigEndian: true) ?? 0
        )
        let (disposal, blending) = (content.byte(at: 24) ?? 0, content.byte(at: 25) ?? 0)
        var frame = AnimationFrame(
            x: numbers[2], y: numbers[3], size: PixelSize(width: numbers[0], height: numbers[1]),
            // A denominator of 0 means hundredths.
            duration: .seconds(numerator) / (denominator == 0 ? 100 : denominator), blends: blending == 1, hasAlpha: true)
        frame.disposal = disposal == 1 ? .clear : disposal == 2 ? .restore : .keep
        // There is no frame before the first one to restore.
        if frames.isEmpty, frame.disposal == .restore { frame.disposal = .clear }
        frames.append(frame)
        data.append([])
        if !hasPixels { beginsWithPixels = true }
        checkSequence(content)
        if numbers[0] == 0 || numbers[1] == 0 || frame.x + numbers[0] > canvas.width || frame.y + numbers[1] > canvas.height {
            fail("is not inside the canvas")
        }
        if frames.count == 1, !hasPixels, frame.size != canvas { fail("does not have the size of the image") }
        if disposal > 2 || blending > 1 { fail("is drawn in an unknown way") }
    }

    private mutating func checkSequence(_ content: ByteReader) {
        let number = content.uint32(at: 0, bigEndian: true)
        if number != sequence { fail("is not numbered in order") }
        sequence = (number ?? sequence) + 1
    }

    /// Notes what is wrong with the last frame, or with the first one if none has begun.
    private mutating func fail(_ reason: String) {
        let index = max(0, frames.count - 1)
        failures[index] = failures[index] ?? reason
    }

    /// Decides what the file shows, after its last chunk.
    ///
    /// - Parameter isComplete: whether the file has its end, so that data which is missing does not exist.
    mutating func finish(isComplete: Bool) {
        for index in frames.indices where data[index].isEmpty && (isComplete || index < frames.count - 1) {
            failures[index] = failures[index] ?? "has no data"
        }
        if failures[0] != nil || announced == 0 { frames = [] }
    }
}
