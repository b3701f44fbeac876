/// How a file stores colour.
public enum ColorModel: String, Hashable, Sendable {
    /// Luminance only.
    case gray
    /// Three colours in any encoding, YCbCr included.
    case rgb
    /// A palette.
    case indexed
    /// Four inks in any encoding, YCCK included.
    case cmyk
}
