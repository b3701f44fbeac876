/// Which previews a load delivers before its image.
public enum PreviewPolicy: Int, Hashable, Sendable, CaseIterable {
    /// None. The default, because a preview delays the image.
    case none
    /// The thumbnail that a camera stored in the file, if there is one.
    case embeddedThumbnail
    /// The part of the image that has arrived, repeatedly while bytes arrive.
    case incremental
}
