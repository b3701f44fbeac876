internal import ImageCore

/// What the header of an original says.
final class OriginalHeader: Sendable {
    let info: ImageInfo
    let original: Original

    init(_ info: ImageInfo, of original: Original) {
        self.info = info
        self.original = original
    }
}
