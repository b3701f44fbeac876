import CCalotypeAVIF
public import ImageCore

extension AVIFDecoder: IncrementalDecoding {
    /// Previews a layered image by each layer except the last. Other images have no previews.
    public func makeIncrementalDecoder(for head: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? {
        format(of: head) == nil ? nil : IncrementalAVIF(options: options)
    }
}

/// Decodes an AVIF that arrives in pieces. It collects the bytes. A preview decodes the layers whose bytes are complete, and the
/// end decodes the complete file, with its layers for a second time.
// @unchecked because the protocol guarantees that one thread at a time calls it.
final class IncrementalAVIF: IncrementalDecoder, @unchecked Sendable {
    private let options: DecodeOptions
    private var data = Data()
    private var reader: AVIFReader?
    private var hasHeader = false
    /// Whether there is no preview, now or later.
    private var isDone = false
    /// The next layer to decode. The layers before it have been decoded once.
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
                // The decode of the complete file reports its errors.
                isDone = true
                return nil
            }
        }
    }

    /// Returns the last layer that has arrived since the previous call. The final layer is not a preview.
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
