import CalotypeSystem
package import ImageCore

/// Memory for a few rows of pixels, zeroed, freed with the object.
@safe package final class Scratch {
    package let base: UnsafeMutableRawPointer
    package let stride: Int

    /// - Parameter isPacked: whether rows follow one another without a gap.
    /// - Throws: ``ImageError`` (`tooLarge`) where there is no memory.
    package init(rows: Int, rowBytes: Int, isPacked: Bool = false) throws(ImageError) {
        stride = isPacked ? rowBytes : (rowBytes + 63) & ~63
        let (count, overflow) = stride.multipliedReportingOverflow(by: max(1, rows))
        guard !overflow, let memory = unsafe calloc(1, count) else {
            throw ImageError(.tooLarge, message: "There is no memory for \(rows) rows of \(rowBytes) bytes.")
        }
        unsafe base = memory
    }

    deinit { unsafe free(base) }
}
