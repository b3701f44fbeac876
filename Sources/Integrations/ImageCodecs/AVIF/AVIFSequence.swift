internal import CCalotypeAVIF
internal import ImageCore

/// The frames of an AVIF sequence. libavif keeps its state, so the next frame needs one decode; another frame needs all
/// decodes from the last key frame on.
@safe final class AVIFSequence: ImageAnimation {
    let durations: [Duration]
    let loopCount: Int
    private let options: DecodeOptions
    private let reader: AVIFReader
    /// The bytes of the file, which the reader uses.
    private let bytes: UnsafeMutableRawBufferPointer

    init(_ data: Data, options: DecodeOptions) throws(ImageError) {
        self.options = options
        unsafe bytes = .allocate(byteCount: max(1, data.count), alignment: 16)
        unsafe bytes.copyBytes(from: data)
        do {
            let reader = try unsafe AVIFReader(UnsafeRawBufferPointer(rebasing: bytes.prefix(data.count)), limits: options.limits)
            self.reader = reader
            let count = max(1, Int(reader.header.frames))
            durations = (0..<count).map { reader.duration(of: $0) }
            // As in browsers, a file that does not say how often it is shown is shown for ever.
            loopCount = count == 1 ? 1 : AVIFRepetitions.count(in: data) ?? 0
        } catch {
            unsafe bytes.deallocate()
            throw error
        }
    }

    deinit { unsafe bytes.deallocate() }

    func frame(at index: Int) throws -> DecodedImage {
        var options = options
        options.frame = index
        return try AVIFDecoder.decode(reader, options: options)
    }
}
