public import ImageCore

/// Operations on single rows of pixels in place, for decoders that return rows one by one.
public enum PixelRow {
    /// Multiplies colour by alpha, rounded to the nearest level. Rows of grey do not change.
    ///
    /// - Parameters:
    ///   - row: whole pixels of `format`, from the first to the last.
    ///   - format: the format of the pixels.
    public static func premultiply(_ row: UnsafeMutableRawBufferPointer, format: PixelFormat) {
        guard format.channels == 4, let base = row.baseAddress else { return }
        let samples = unsafe PixelSamples(base, isWide: format.isWide)
        unsafe PixelKernels.premultiply(samples, row.count / format.bytesPerPixel, .current)
    }
}
