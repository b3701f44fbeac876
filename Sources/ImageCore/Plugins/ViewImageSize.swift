/// The size that a view has for its image, by which a target sizes the request (``LoadOptions/sizesToTarget``).
public enum ViewImageSize: Hashable, Sendable {
    /// The view takes the size of its image, or does not scale it. The image is loaded in full size.
    case unlimited
    /// The view has no size yet, because it was not laid out. The load waits until the target learns that the
    /// size has changed.
    case pending
    /// The view scales its image to this box, in device pixels, in this content mode.
    case box(PixelSize, ImageContentMode)
}
