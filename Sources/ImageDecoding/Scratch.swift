internal import CalotypeSystem
package import ImageCore

/// Zeroed memory for rows of pixels, which is freed with the object.
@safe package final class Scratch {
    package let base: UnsafeMutableRawPointer
    package let stride: Int

    /// Allocates the memory. Rows start at multiples of 64 bytes.
    ///
    /// - Throws: ``ImageError`` (`tooLarge`) if there is not enough memory.
    package init(rows: Int, rowBytes: Int) throws(ImageError) {
        stride = (rowBytes + 63) & ~63
        let (count, overflow) = stride.multipliedReportingOverflow(by: max(1, rows))
        guard !overflow, let memory = unsafe calloc(1, count) else {
            throw ImageError(
                .tooLarge,
                message: "There is not enough memory for \(rows) rows of \(rowBytes) bytes. Decode the image to a smaller size.")
        }
        unsafe base = memory
    }

    deinit { unsafe free(base) }
}
