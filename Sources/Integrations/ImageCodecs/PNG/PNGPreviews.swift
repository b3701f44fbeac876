public import ImageCore
internal import ImageDecoding

extension PNGDecoder: IncrementalDecoding {
    /// Previews the rows so far, or for an interlaced file the whole image at increasing detail. An animation is
    /// previewed by its first frame, whole if the default image is not part of the animation.
    public func makeIncrementalDecoder(for prefix: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? {
        format(of: prefix) == nil || options.frame > 0 ? nil : try PNGPreviews(options: options)
    }
}

/// Makes previews of a PNG.
final class PNGPreviews: IncrementalDecoder {
    private let reader: PNGReader
    private let options: DecodeOptions
    private var canvas: PreviewCanvas?
    /// The number of bytes that libpng has read.
    private var bytesRead = 0
    /// Set for an animation whose default image is not shown, until its first frame is.
    private var firstFrame: APNGFirstFrame?
    private var isOver = false

    init(options: DecodeOptions) throws(ImageError) {
        self.options = options
        reader = try PNGReader(streaming: options.limits)
    }

    /// The number of rows that libpng has decoded, in all passes.
    var rowsDecoded: Int { reader.pushedRows.decoded }

    func preview(of file: Data) throws -> DecodedImage? {
        if isOver { return nil }
        if firstFrame != nil { return try previewFirstFrame(in: file) }
        // Small pieces let a cancelled decode stop soon.
        while bytesRead < file.count {
            try options.checkCancellation()
            let piece = file.dropFirst(bytesRead).prefix(1 << 16)
            if try reader.push(piece) { try begin(file) }
            if firstFrame != nil { return try previewFirstFrame(in: file) }
            bytesRead += piece.count
        }
        canvas?.available = reader.pushedRows.available
        return try canvas?.preview(of: rowsDecoded)
    }

    /// Decodes the first frame once, when it is complete.
    private func previewFirstFrame(in file: Data) throws -> DecodedImage? {
        guard let end = firstFrame?.end(in: file) else { return nil }
        isOver = true
        var image = try PNGDecoder().decode(file.prefix(end), options: options)
        image.isPreview = true
        return image
    }

    /// Sets the target of the rows after the header has arrived.
    private func begin(_ file: Data) throws {
        let metadata = PNGMetadata(file, limits: options.limits)
        if metadata.animation.hasSeparateDefault { return firstFrame = APNGFirstFrame() }
        let profile = metadata.profile(embedded: reader.profile)
        let canvas = try PreviewCanvas(
            reader.storedImage(metadata, profile: profile, keeps16Bit: true, options: options), options: options)
        self.canvas = canvas
        reader.setTarget(canvas.rows)
        // The bytes after the header.
        _ = try reader.push(Data())
    }
}
