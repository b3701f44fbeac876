/// The meaning of the alpha channel. Grey formats are always opaque.
public enum AlphaMode: String, Hashable, Sendable {
    /// Every pixel is opaque. The alpha samples of an RGBA format have their maximum value.
    case opaque
    /// Colours are multiplied by alpha. The canonical form of images with transparency.
    case premultiplied
    /// Colours are not multiplied by alpha. Decoders return this form only on request (``DecodeOptions/alpha``), and
    /// kernels do not accept it.
    case straight
}
