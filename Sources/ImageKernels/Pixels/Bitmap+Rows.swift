package import ImageCore

extension Bitmap {
    /// Returns a copy of the bitmap whose rows `change` edits in place on several threads.
    ///
    /// - Parameters:
    ///   - alpha: the alpha mode of the copy; `nil` keeps it.
    ///   - change: edits a row. Its arguments are the number of the row and its pixels without padding. Runs on several threads
    ///     at the same time.
    package func editingRows(
        alpha: AlphaMode? = nil, threads: Int = 1, cancellation: CancellationToken? = nil,
        _ change: (_ y: Int, _ row: UnsafeMutableRawBufferPointer) -> Void
    ) throws -> Bitmap {
        try unsafe Bitmap(size: size, format: format, alpha: alpha ?? self.alpha, colorSpace: colorSpace) { pixels, bytesPerRow in
            try unsafe withUnsafePixels { source in
                let used = width * format.bytesPerPixel
                try RowQueue.run(rows: height, threads: threads) { queue in
                    for y in queue {
                        if y & 15 == 0 { try cancellation?.check() }
                        let range = y * bytesPerRow..<y * bytesPerRow + used
                        let row = unsafe UnsafeMutableRawBufferPointer(rebasing: pixels[range])
                        unsafe row.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[range]))
                        unsafe change(y, row)
                    }
                }
            }
        }
    }

    /// Returns the bitmap as premultiplied or opaque RGBA with the same depth, the form that the colour kernels accept.
    ///
    /// - Throws: ``ImageError`` (`tooLarge`) if there is not enough memory.
    package func withColorChannels() throws -> Bitmap {
        switch format {
        case .rgba8, .rgba16: try premultiplied()
        case .gray8: try convertedToRGBA8()
        case .gray16:
            try unsafe Bitmap(size: size, format: .rgba16, alpha: .opaque, colorSpace: colorSpace) { pixels, bytesPerRow in
                unsafe withUnsafePixels { source in
                    for y in 0..<height {
                        for x in 0..<width {
                            let gray = unsafe UInt64(source.load(fromByteOffset: y * self.bytesPerRow + x * 2, as: UInt16.self))
                            let pixel = (gray * 0x1_0001_0001 | 0xFFFF << 48).littleEndian
                            unsafe pixels.storeBytes(of: pixel, toByteOffset: y * bytesPerRow + x * 8, as: UInt64.self)
                        }
                    }
                }
            }
        }
    }

    /// The highest level: 255 or 65,535.
    package var fullLevel: Int { format.bytesPerPixel > format.channels ? 65535 : 255 }
}
