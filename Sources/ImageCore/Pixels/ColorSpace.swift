/// The colour space of pixels.
public enum ColorSpace: Hashable, Sendable {
    /// sRGB (IEC 61966-2-1), or grey with its transfer curve. The canonical space.
    case sRGB
    /// The space of the ICC profile that the file contains.
    // Indirect, which keeps bitmaps small; few of them have a profile.
    indirect case icc(Data)
}
