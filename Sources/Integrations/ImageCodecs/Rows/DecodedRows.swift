package import ImageCore
package import ImageDecoding

/// Some rows of an image during a decode: 8-bit RGBA, opaque or not premultiplied.
@safe package struct DecodedRows {
    /// The size of the whole image in pixels.
    package let size: PixelSize
    /// The index of the first row, from 0 at the top.
    package let first: Int
    package let count: Int
    /// The pixels. Valid only during the call that receives the rows.
    package let bytes: UnsafeRawBufferPointer
    /// The distance from one row to the next in bytes.
    package let bytesPerRow: Int

    /// Calls `body` with the pixels of the rows without padding: with all at once, or with each row.
    package func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        let rowBytes = 4 * size.width
        guard bytesPerRow != rowBytes else { return try unsafe body(bytes) }
        for y in 0..<count {
            try unsafe body(UnsafeRawBufferPointer(rebasing: bytes[(y * bytesPerRow)...].prefix(rowBytes)))
        }
    }
}

extension DecoderRegistry {
    /// Decodes an image and passes its rows to a closure, from the top.
    ///
    /// The decoders of JPEG, PNG and AVIF pass rows as they decode them, when the whole image needs no further step. Other
    /// decoders pass all rows at once after the decode. After an error, discard the rows that were passed before.
    ///
    /// - Parameters:
    ///   - data: The complete file.
    ///   - options: Must request alpha that is not premultiplied, no target size, and no 16-bit samples.
    ///   - body: Receives some rows at a time.
    /// - Throws: The errors of ``decode(_:options:)`` and of `body`.
    package func decodeRows(_ data: Data, options: DecodeOptions, _ body: (DecodedRows) throws -> Void) throws {
        func handOver(_ image: DecodedImage) throws {
            let bitmap = try image.bitmap.straightRGBA8()
            try unsafe bitmap.withUnsafePixels { pixels in
                try body(
                    unsafe DecodedRows(
                        size: bitmap.size, first: 0, count: bitmap.height, bytes: pixels, bytesPerRow: bitmap.bytesPerRow))
            }
        }
        func decoded(_ assembler: ImageAssembler, _ producer: any RowProducer) throws {
            if assembler.canStream { try assembler.stream(producer, body) } else { try handOver(assembler.assemble(producer)) }
        }
        switch try decoder(for: data).decoder {
        case is JPEGDecoder: try JPEGDecoder.withRows(of: data, options: options, decoded)
        case is PNGDecoder where PNGDecoder.isInDefaultImage(data, options: options):
            try PNGDecoder.withRows(of: data, options: options, decoded)
        // A decode that can be cancelled runs where it can be abandoned.
        case is AVIFDecoder where options.cancellation == nil:
            try unsafe data.withUnsafeBytes { bytes in
                let reader = try unsafe AVIFReader(bytes, limits: options.limits)
                let isUpright = options.applied(reader.orientation) == .up
                try AVIFDecoder.withRows(of: reader, options: options, inPieces: isUpright, decoded)
            }
        default: try handOver(decode(data, options: options))
        }
    }
}
