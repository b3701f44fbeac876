import ImageCore

/// A codec that is about to deliver the rows of one image, from the top.
protocol RowProducer: AnyObject {
    /// Decodes the next rows, `stride` bytes apart.
    ///
    /// - Returns: how many rows hold pixels of the image, and what stopped it before `count`, if anything.
    /// - Throws: `CancellationError`, or an error after which nothing can be shown.
    func readRows(into target: UnsafeMutableRawPointer, stride: Int, count: Int) throws -> RowsRead

    /// What was found wrong with the image as a whole, once its rows were read.
    func finish() -> ImageError?
}

extension RowProducer {
    func finish() -> ImageError? { nil }
}

struct RowsRead {
    var count: Int
    var failure: ImageError?
}
