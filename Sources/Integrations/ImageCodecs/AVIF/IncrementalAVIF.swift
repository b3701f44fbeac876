import CCalotypeAVIF
public import ImageCore

extension AVIFDecoder: IncrementalDecoding {
    /// Of a layered image each layer but the last as it comes; of others nothing before the end.
    public func makeIncrementalDecoder(for head: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? {
        format(of: head) == nil ? nil : IncrementalAVIF(options: options)
    }
}

/// An AVIF that arrives in pieces. Its bytes are collected; a layer is decoded when a preview is asked for and all bytes of
/// it are there. At the end the image is decoded like a whole file's, its layers for a second time.
// @unchecked because the protocol has its calls made by one thread at a time.
final class IncrementalAVIF: IncrementalDecoder, @unchecked Sendable {
    private let options: DecodeOptions
    private var data = Data()
    private var reader: AVIFReader?
    private var hasHeader = false
    /// Whether there is nothing to preview, now or later.
    private var isDone = false
    /// The layer to be shown next: those before it were decoded, each once.
    private(set) var layer = 0

    init(options: DecodeOptions) { self.options = options }

    func append(_ chunk: Data) throws {
        try options.checkCancellation()
        data.append(chunk)
    }

    func preview() throws -> DecodedImage? {
        guard !isDone, options.frame == 0 else { return nil }
        let reader = try reader ?? AVIFReader(streaming: options.limits)
        self.reader = reader
        return try unsafe data.withUnsafeBytes { bytes in
            unsafe reader.supply(bytes)
            do {
                return try next(reader)
            } catch let error as ImageError where error.code == .truncated {
                return nil
            } catch let error as ImageError where error.code != .tooLarge {
                // What is wrong with the file is for the whole of it to say.
                isDone = true
                return nil
            }
        }
    }

    /// The finest of the layers that came since the last look; the last is not a preview.
    private func next(_ reader: AVIFReader) throws -> DecodedImage? {
        if !hasHeader {
            guard try reader.readHeader(of: data, limits: options.limits) else { return nil }
            hasHeader = true
            isDone = !reader.header.is_layered || reader.header.frames < 2
        }
        guard !isDone else { return nil }
        var options = options
        var found: DecodedImage?
        while layer < Int(reader.header.frames) - 1 {
            options.frame = layer
            do {
                found = try AVIFDecoder.decode(reader, options: options)
            } catch let error as ImageError where error.code == .truncated && found != nil {
                break
            }
            layer += 1
        }
        isDone = layer >= Int(reader.header.frames) - 1
        found?.isPreview = true
        return found
    }

    func finish() throws -> DecodedImage { try AVIFDecoder().decode(data, options: options) }
}
