/// What a load leaves on disk, where its cache policy lets it write there.
public enum DiskStorage: String, Hashable, Sendable, CaseIterable {
    /// The bytes as they came. The default: every size and every processor can be served from them.
    case originalData
    /// The finished picture, encoded anew, whether or not anything was done to it; the original is not kept.
    case processedImages
    /// The finished picture where it was scaled or processed, the original where not.
    case automatic
    /// The original, and beside it the finished picture where it was scaled or processed.
    case all

    /// Whether the original is kept of a picture that was, or was not, scaled or processed.
    public func keepsOriginal(isProcessed: Bool) -> Bool {
        switch self {
        case .originalData, .all: true
        case .processedImages: false
        case .automatic: !isProcessed
        }
    }

    /// Whether the finished picture is kept.
    public func keepsResult(isProcessed: Bool) -> Bool {
        switch self {
        case .originalData: false
        case .processedImages: true
        case .automatic, .all: isProcessed
        }
    }
}
