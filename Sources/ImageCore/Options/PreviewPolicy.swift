/// What a load shows of its picture before it is whole.
public enum PreviewPolicy: Int, Hashable, Sendable, CaseIterable {
    /// Nothing. The default: a preview costs time that the picture itself does not get.
    case none
    /// The small picture that a camera put into the file, where there is one.
    case embeddedThumbnail
    /// The picture as far as its bytes have come, again and again while they arrive.
    case incremental
}
