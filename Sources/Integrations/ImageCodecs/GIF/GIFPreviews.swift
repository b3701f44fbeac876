public import ImageCore
internal import ImageDecoding

extension GIFDecoder: IncrementalDecoding {
    /// Previews an animation by its first frame. A still image has no previews.
    public func makeIncrementalDecoder(for prefix: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? {
        format(of: prefix) == nil || options.frame > 0 ? nil : GIFPreviews(options: options)
    }
}

/// Makes one preview of an animation: its first frame, when another block follows it.
final class GIFPreviews: IncrementalDecoder {
    private let options: DecodeOptions
    /// Where the next sub-block of the first frame begins; `nil` until the frame has begun.
    private var offset: Int?
    private var isOver = false

    init(options: DecodeOptions) { self.options = options }

    func preview(of file: Data) throws -> DecodedImage? {
        try options.checkCancellation()
        guard !isOver, let end = try endOfFrame(in: file), let next = ByteReader(file).byte(at: end) else { return nil }
        isOver = true
        // The trailer of a still image.
        guard next != 0x3B else { return nil }
        var image = try GIFDecoder().decode(file.prefix(end), options: options)
        image.isPreview = true
        return image
    }

    /// Returns the end of the first frame, or `nil` while it is incomplete. Looks at each sub-block once.
    private func endOfFrame(in file: Data) throws -> Int? {
        offset = try offset ?? firstSubBlock(in: file)
        let reader = ByteReader(file)
        while let start = offset, let length = reader.byte(at: start), start + Int(length) < file.count {
            if length == 0 { return start + 1 }
            offset = start + 1 + Int(length)
        }
        return nil
    }

    private func firstSubBlock(in file: Data) throws -> Int? {
        do {
            return try GIFFile(file, limits: options.limits).firstSubBlock
        } catch  where error.code == .truncated {
            return nil
        }
    }
}
