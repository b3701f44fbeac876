/// What a load stores on disk if its cache policy allows it to write there. Of an animation, every policy stores the
/// original, and no result.
public enum DiskStorage: String, Hashable, Sendable, CaseIterable {
    /// The original bytes, from which every size and every processor can be served. The default.
    case originalData
    /// The result, encoded again whether or not it was scaled or processed. The original is not stored.
    case processedImages
    /// The result if it was scaled or processed, else the original.
    case automatic
    /// The original, and the result too if it was scaled or processed.
    case all

    /// Whether the original bytes are stored.
    ///
    /// - Parameter isProcessed: whether the image was scaled or processed.
    public func keepsOriginal(isProcessed: Bool) -> Bool {
        switch self {
        case .originalData, .all: true
        case .processedImages: false
        case .automatic: !isProcessed
        }
    }

    /// Whether the result is stored.
    ///
    /// - Parameter isProcessed: whether the image was scaled or processed.
    public func keepsResult(isProcessed: Bool) -> Bool {
        switch self {
        case .originalData: false
        case .processedImages: true
        case .automatic, .all: isProcessed
        }
    }
}
