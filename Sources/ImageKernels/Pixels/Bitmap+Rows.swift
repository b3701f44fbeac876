package import ImageCore

extension Bitmap {
    /// Makes a bitmap whose rows are computed from those of this one, on several threads.
    ///
    /// - Parameters:
    ///   - size: the size of the result; `nil` keeps that of this bitmap, and likewise for `format` and `alpha`.
    ///   - block: the minimum number of rows for a thread.
    ///   - body: called once on each thread. It takes rows of the result from `rows` and writes them. `from` and `to`
    ///     are the first pixels of this bitmap and of the result, whose rows are `bytesPerRow` apart.
    func makingRows(
        size: PixelSize? = nil, format: PixelFormat? = nil, alpha: AlphaMode? = nil, threads: Int = 1, block: Int = 16,
        cancellation: CancellationToken? = nil,
        _ body: (_ rows: RowQueue, _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ bytesPerRow: Int) -> Void
    ) throws -> Bitmap {
        let size = size ?? self.size
        return try unsafe Bitmap(
            size: size, format: format ?? self.format, alpha: alpha ?? self.alpha, colorSpace: colorSpace
        ) { pixels, bytesPerRow in
            try unsafe withUnsafePixels { source in
                let (from, to) = unsafe (source.baseAddress.unsafelyUnwrapped, pixels.baseAddress.unsafelyUnwrapped)
                try RowQueue.run(rows: size.height, threads: threads, block: block, cancellation: cancellation) { rows in
                    unsafe body(rows, from, to, bytesPerRow)
                }
            }
        }
    }

    /// Returns a copy of the bitmap whose rows `change` edits in place on several threads.
    ///
    /// - Parameters:
    ///   - alpha: the alpha mode of the copy; `nil` keeps it.
    ///   - change: edits a row. Its arguments are the number of the row and its samples. Runs on several threads at the
    ///     same time.
    func editingRows(
        alpha: AlphaMode? = nil, threads: Int = 1, cancellation: CancellationToken? = nil,
        _ change: (_ y: Int, _ row: PixelSamples) -> Void
    ) throws -> Bitmap {
        let used = width * format.bytesPerPixel
        return try unsafe makingRows(alpha: alpha, threads: threads, cancellation: cancellation) { rows, from, to, bytesPerRow in
            for y in rows {
                let row = unsafe to + y * bytesPerRow
                unsafe row.copyMemory(from: from + y * bytesPerRow, byteCount: used)
                unsafe change(y, PixelSamples(row, isWide: format.isWide))
            }
        }
    }

    /// Returns the bitmap in another format, which is not grey unless the bitmap is. Grey is repeated in red, green and
    /// blue with full alpha, and levels are converted to the nearest.
    package func converted(to format: PixelFormat) throws -> Bitmap {
        if self.format == format { return self }
        let (isGray, channels, wasWide) = (self.format.channels == 1, format.channels, self.format.isWide)
        return try unsafe makingRows(format: format) { rows, from, to, bytesPerRow in
            for y in rows {
                let source = unsafe PixelSamples(reading: from + y * self.bytesPerRow, isWide: wasWide)
                let target = unsafe PixelSamples(to + y * bytesPerRow, isWide: format.isWide)
                for x in 0..<width {
                    for i in channels * x..<channels * (x + 1) {
                        let level = unsafe target.scaled(source[isGray ? x : i], isWide: wasWide)
                        unsafe target[i] = isGray && channels == 4 && i & 3 == 3 ? target.most : level
                    }
                }
            }
        }
    }

    /// Returns the bitmap as premultiplied or opaque RGBA with the same depth, the form that the colour kernels accept.
    ///
    /// - Throws: ``ImageError`` (`tooLarge`) if there is not enough memory.
    package func withColorChannels() throws -> Bitmap { try converted(to: format.isWide ? .rgba16 : .rgba8).premultiplied() }
}
