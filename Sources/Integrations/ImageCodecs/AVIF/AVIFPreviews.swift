internal import CCalotypeAVIF
public import ImageCore
internal import ImageDecoding

extension AVIFDecoder: IncrementalDecoding {
    /// Previews a layered image by each layer except the last, and a sequence by its first frame. Other images have no
    /// previews.
    public func makeIncrementalDecoder(for prefix: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? {
        format(of: prefix) == nil || options.frame > 0 ? nil : try AVIFPreviews(options: options)
    }
}

/// Makes previews of a layered AVIF, or one of a sequence.
final class AVIFPreviews: IncrementalDecoder {
    private let options: DecodeOptions
    private let reader: AVIFReader
    private var hasHeader = false
    /// The next layer, or frame, to decode. The layers before it have been decoded once.
    private(set) var layer = 0

    init(options: DecodeOptions) throws(ImageError) {
        self.options = options
        reader = try AVIFReader(limits: options.limits, showsLayers: true)
    }

    /// Returns the last layer that has arrived since the previous call, except the final one; once for the first frame
    /// of a sequence.
    func preview(of file: Data) throws -> DecodedImage? {
        try options.checkCancellation()
        return try unsafe file.withUnsafeBytes { bytes in
            unsafe reader.supply(bytes, isLast: false)
            if !hasHeader {
                guard try reader.readHeader(of: file, limits: options.limits) else { return nil }
                hasHeader = true
                try reader.ignoreOtherTracks(of: file)
            }
            let frames = Int(reader.header.frames)
            guard reader.header.is_layered || frames > 1 else { throw ImageError.truncated(.avif) }
            var found: DecodedImage?
            while layer < (reader.header.is_layered ? frames - 1 : 1), let image = try decodeLayer() {
                found = image
                layer += 1
            }
            found?.isPreview = true
            return found
        }
    }

    /// Returns the next layer, or `nil` when more bytes are needed.
    private func decodeLayer() throws -> DecodedImage? {
        var options = options
        options.frame = layer
        do {
            return try AVIFDecoder.decode(reader, options: options)
        } catch let error as ImageError where error.code == .truncated {
            return nil
        }
    }
}
