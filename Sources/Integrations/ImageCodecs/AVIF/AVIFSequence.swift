internal import CCalotypeAVIF
internal import ImageCore

/// The frames of an AVIF sequence. libavif keeps its state, so the next frame needs one decode; another frame needs all
/// decodes from the last key frame on.
final class AVIFSequence: ImageAnimation {
    let durations: [Duration]
    let loopCount: Int
    private let file: Data
    private let options: DecodeOptions
    private let reader: AVIFReader

    init(_ file: Data, options: DecodeOptions) throws {
        (self.file, self.options) = (file, options)
        let reader = try unsafe file.withUnsafeBytes { try unsafe AVIFReader(file, $0, limits: options.limits) }
        self.reader = reader
        durations = (0..<max(1, Int(reader.header.frames))).map { reader.duration(of: $0) }
        loopCount = AVIFRepetitions.loopCount(of: file, frames: durations.count)
    }

    func frame(at index: Int) throws -> DecodedImage {
        var options = options
        options.frame = index
        return try unsafe file.withUnsafeBytes { bytes in
            unsafe reader.supply(bytes, isLast: true)
            return try AVIFDecoder.decode(reader, options: options)
        }
    }
}
