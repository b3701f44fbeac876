internal import ImageCore

/// A codec that delivers the rows of one image, from the top.
protocol RowProducer: AnyObject {
    /// Decodes the next rows, `stride` bytes apart.
    ///
    /// - Returns: the number of rows that have pixels, and the error that stopped the codec before `count`, if any.
    /// - Throws: `CancellationError`, or an error after which nothing can be shown.
    func readRows(into target: UnsafeMutableRawPointer, stride: Int, count: Int) throws -> RowsRead

    /// Returns the error of the image as a whole, after its rows were read.
    func finish() -> ImageError?
}

extension RowProducer {
    func finish() -> ImageError? { nil }
}

struct RowsRead {
    var count: Int
    var failure: ImageError?
}
