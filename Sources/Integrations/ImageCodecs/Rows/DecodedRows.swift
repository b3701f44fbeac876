package import ImageCore
package import ImageDecoding

/// Some rows of an image, on their way: 8-bit RGBA, straight or opaque.
@safe package struct DecodedRows {
    /// Of the whole image.
    package let size: PixelSize
    /// The number of the first of them, from 0 at the top.
    package let first: Int
    package let count: Int
    /// Valid only inside the call that hands them over.
    package let bytes: UnsafeRawBufferPointer
    /// From one row to the next.
    package let bytesPerRow: Int

    /// Calls `body` with the pixels of the rows and nothing between: with all at once, or with each row.
    package func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        let rowBytes = 4 * size.width
        guard bytesPerRow != rowBytes else { return try unsafe body(bytes) }
        for y in 0..<count {
            try unsafe body(UnsafeRawBufferPointer(rebasing: bytes[(y * bytesPerRow)...].prefix(rowBytes)))
        }
    }
}

extension DecoderRegistry {
    /// Decodes an image and hands its rows over from the top: as they come, where the built-in decoders of JPEG, PNG and AVIF
    /// deliver them so and nothing is left to do to the whole image, and all at once after a decode otherwise.
    ///
    /// What was handed over before an error is to be thrown away.
    ///
    /// - Parameter options: with straight alpha, without a target size and 16 bits.
    /// - Throws: as ``decode(_:options:)``, and what `body` throws.
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
        // One that may be cancelled is decoded where it can be left alone.
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
