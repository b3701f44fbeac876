/// How an image fills a box with another aspect ratio.
public enum ImageContentMode: String, Hashable, Sendable, CaseIterable {
    /// The whole image, as large as fits into the box. Keeps the aspect ratio.
    case fit
    /// Covers the box and crops what exceeds it, equally on both sides. Keeps the aspect ratio.
    case fill
    /// Exactly the box. Stretches the image.
    case exact
}
