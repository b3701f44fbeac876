internal import ImageCore
internal import ImageDecoding

/// The structure of a GIF (GIF89a): a screen with a global palette, then blocks. Finds the frames without decoding
/// them.
final class GIFFile: AnimationSource {
    private struct Entry {
        /// The offset of the data: the bits of its first codes, then sub-blocks.
        var dataStart: Int
        var colors: Range<Int>?
        var transparentIndex: Int?
        var isInterlaced: Bool
    }

    let format = ImageFormat.gif
    let orientation = Orientation.up
    private(set) var canvas = PixelSize(width: 0, height: 0)
    private(set) var frames: [AnimationFrame] = []
    /// As in browsers, an animation is shown once more than its extension says, or once without an extension.
    var loopCount: Int { frames.count == 1 ? 1 : repeats.map { $0 == 0 ? 0 : $0 + 1 } ?? 1 }
    private var repeats: Int?
    private(set) var profile = ColorProfile.sRGB
    private let reader: ByteReader
    private var entries: [Entry] = []
    private var globalColors: Range<Int>?
    private var headerEnd = 13
    /// The extension before a frame: disposal, duration in hundredths of a second, and the transparent colour.
    private var control: (disposal: Int, delay: Int, transparentIndex: Int?)?

    /// - Throws: ``ImageError`` when there is no screen, when the canvas is beyond the limits, or when there are too
    ///   many frames.
    init(_ data: Data, limits: DecodingLimits) throws(ImageError) {
        reader = ByteReader(data)
        guard let width = reader.uint16(at: 6, bigEndian: false), let height = reader.uint16(at: 8, bigEndian: false),
            let flags = reader.byte(at: 10), reader.count >= 13
        else { throw .truncated(.gif) }
        canvas = PixelSize(width: width, height: height)
        try limits.check(canvas, bytesPerPixel: 0)
        globalColors = Self.colors(at: headerEnd, flags)
        headerEnd = globalColors?.upperBound ?? headerEnd
        guard headerEnd <= reader.count else { throw .truncated(.gif) }
        try readBlocks(limits: limits)
        if frames.isEmpty, canvas == PixelSize(width: 1, height: 1), reader.byte(at: headerEnd) == 0x2C {
            // Web pages embed one pixel without data as a placeholder, which browsers show as transparent.
            frames = [AnimationFrame(x: 0, y: 0, size: canvas, duration: .zero, blends: true, hasAlpha: true)]
            entries = [Entry(dataStart: reader.count, isInterlaced: false)]
        }
        guard canvas.width > 0, canvas.height > 0 else { throw .damaged(.gif, "its screen size is missing") }
        try limits.check(canvas, bytesPerPixel: 0)
    }

    /// Where the data of the first frame begins, after the bits of its first codes; `nil` without a frame.
    var firstSubBlock: Int? { entries.first.map { $0.dataStart + 1 } }

    var isInterlaced: Bool { entries.contains(where: \.isInterlaced) }

    var hasAlpha: Bool {
        frames.contains(where: \.hasAlpha) || !(frames.first?.covers(canvas) ?? true)
    }

    private func readBlocks(limits: DecodingLimits) throws(ImageError) {
        var offset = headerEnd
        while let kind = reader.byte(at: offset) {
            switch kind {
            case 0x21: offset = readExtension(at: offset, limits: limits)
            case 0x2C:
                guard let end = readFrame(at: offset) else { return }
                offset = end
                guard frames.count <= limits.frames else { throw .tooManyFrames(.gif, limits) }
            // Some files have zeros between blocks. Any other byte, the trailer included, ends the file.
            case 0: offset += 1
            default: return
            }
        }
    }

    /// Reads an extension, and returns the offset of the next block.
    private func readExtension(at offset: Int, limits: DecodingLimits) -> Int {
        let label = reader.byte(at: offset + 1)
        if label == 0xF9, let flags = reader.byte(at: offset + 3), let delay = reader.uint16(at: offset + 4, bigEndian: false),
            let clear = reader.byte(at: offset + 6)
        {
            control = (Int(flags >> 2 & 7), delay, flags & 1 == 1 ? Int(clear) : nil)
        }
        let end = skipSubBlocks(from: offset + 2)
        if label == 0xFF, reader.matches("NETSCAPE2.0", at: offset + 3) || reader.matches("ANIMEXTS1.0", at: offset + 3) {
            readRepeats(from: offset + 14)
        }
        if label == 0xFF, profile == .sRGB, reader.matches("ICCRGBG1012", at: offset + 3) {
            let (content, hasEnd) = subBlocks(from: offset + 14, atMost: limits.metadataBytes)
            profile = ColorProfile(embedded: hasEnd ? content : nil)
        }
        return end
    }

    /// Reads Netscape's sub-blocks. One that begins with 1 says how often the animation is repeated after it was shown
    /// once, 0 for endless; others describe how it is loaded. As in browsers, they have any order and length.
    private func readRepeats(from start: Int) {
        var offset = start
        while let length = reader.byte(at: offset), length > 0 {
            if length >= 3, let kind = reader.byte(at: offset + 1), kind & 7 == 1,
                let number = reader.uint16(at: offset + 2, bigEndian: false)
            {
                repeats = number
            }
            offset += 1 + Int(length)
        }
    }

    /// Joins the content of sub-blocks, which hold a frame's data, or a profile (ICC.1:2022, annex B.6). `hasEnd` is
    /// false if the file ends before them, or they contain more than `limit` bytes.
    private func subBlocks(from start: Int, atMost limit: Int = .max) -> (content: Data, hasEnd: Bool) {
        var (offset, content) = (start, Data())
        while let length = reader.byte(at: offset) {
            if length == 0 { return (content, true) }
            let part = reader.bytes(at: offset + 1, count: min(Int(length), reader.count - offset - 1)) ?? Data()
            guard content.count + part.count <= limit else { break }
            content.append(part)
            offset += 1 + Int(length)
        }
        return (content, false)
    }

    /// Adds a frame, and returns the offset of its end, or `nil` when the file ends before the frame's data begins.
    private func readFrame(at offset: Int) -> Int? {
        let numbers = [1, 3, 5, 7].compactMap { reader.uint16(at: offset + $0, bigEndian: false) }
        guard numbers.count == 4, let flags = reader.byte(at: offset + 9) else { return nil }
        let colors = Self.colors(at: offset + 10, flags)
        let dataStart = colors?.upperBound ?? offset + 10
        defer { control = nil }
        guard dataStart < reader.count else { return nil }
        var size = PixelSize(width: numbers[2], height: numbers[3])
        // As in browsers, a frame without a size takes that of the screen, and the first frame enlarges the screen.
        if size.width == 0 || size.height == 0 { size = canvas }
        guard size.width > 0, size.height > 0 else { return skipSubBlocks(from: dataStart + 1) }
        if frames.isEmpty {
            canvas.width = max(canvas.width, numbers[0] + size.width)
            canvas.height = max(canvas.height, numbers[1] + size.height)
        }
        let disposal: AnimationFrame.Disposal =
            switch control?.disposal {
            case 2: .clear
            // Some programs write 4 (GIF89a, 23, allows 3 alone).
            case 3, 4: .restore
            default: .keep
            }
        // A frame may be without data.
        let isEmpty = reader.byte(at: dataStart + 1) == 0
        frames.append(
            AnimationFrame(
                x: numbers[0], y: numbers[1], size: size, duration: .milliseconds(10 * (control?.delay ?? 0)), disposal: disposal,
                blends: true, hasAlpha: control?.transparentIndex != nil || isEmpty))
        entries.append(
            Entry(
                dataStart: dataStart, colors: colors ?? globalColors, transparentIndex: control?.transparentIndex,
                isInterlaced: flags & 0x40 != 0))
        return skipSubBlocks(from: dataStart + 1)
    }

    /// Returns the range of a palette that begins at an offset; `nil` if the flags announce none.
    private static func colors(at offset: Int, _ flags: UInt8) -> Range<Int>? {
        flags & 0x80 == 0 ? nil : offset..<(offset + 3 << (Int(flags & 7) + 1))
    }

    /// Skips sub-blocks, each a length and as many bytes, up to the empty one.
    private func skipSubBlocks(from start: Int) -> Int {
        var offset = start
        while let length = reader.byte(at: offset) {
            offset += 1 + Int(length)
            if length == 0 { break }
        }
        return min(offset, reader.count)
    }

    /// Returns the producer of a frame's rows.
    func makeRows(of frame: Int, options: DecodeOptions) throws(ImageError) -> GIFRows {
        let entry = entries[frame]
        let (content, hasEnd) = subBlocks(from: entry.dataStart + 1)
        return try GIFRows(
            content, startBits: Int(reader.byte(at: entry.dataStart) ?? 0),
            hasEnd: hasEnd || entry.dataStart == reader.count, size: frames[frame].size, isInterlaced: entry.isInterlaced,
            colors: colorTable(of: entry), options: options)
    }

    /// Describes a frame as a still image. Whether its data leaves out pixels is known only after they are decoded.
    func storedImage(of frame: Int) -> StoredImage {
        var stored = StoredImage(format: .gif, size: frames[frame].size, layout: .pixels(.rgba8))
        stored.hasAlpha = true
        stored.profile = profile
        stored.deliversWhole = entries[frame].isInterlaced
        return stored
    }

    func decodePixels(of frame: Int, options: DecodeOptions) throws -> (bitmap: Bitmap, failure: ImageError?) {
        let rows = try makeRows(of: frame, options: options)
        let image = try ImageAssembler(storedImage(of: frame), options: options).assemble(rows)
        if rows.isIncomplete { frames[frame].hasAlpha = true }
        return (image.bitmap, image.isPartial ? rows.failure ?? .truncated(.gif) : nil)
    }

    /// Returns 256 colours as RGBA in memory. Colours beyond the file's palette are black. A file without a palette has
    /// a grey ramp.
    private func colorTable(of entry: Entry) -> [UInt32] {
        (0..<256).map { index in
            if index == entry.transparentIndex { return 0 }
            guard let colors = entry.colors else { return UInt32(littleEndian: UInt32(index) * 0x010101 | 0xFF00_0000) }
            let offset = colors.lowerBound + 3 * index
            let color = offset < colors.upperBound ? reader.bytes(at: offset, count: 3) : nil
            return UInt32(littleEndian: (color ?? Data(count: 3)).reversed().reduce(0xFF) { $0 << 8 | UInt32($1) })
        }
    }
}
