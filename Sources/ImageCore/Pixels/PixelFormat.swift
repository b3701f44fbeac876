/// The layout of a pixel in memory. 16-bit samples have the byte order of the machine.
public enum PixelFormat: String, Hashable, Sendable, CaseIterable {
    /// One byte: luminance.
    case gray8
    /// Four bytes: red, green, blue, alpha.
    case rgba8
    /// One 16-bit sample: luminance.
    case gray16
    /// Four 16-bit samples: red, green, blue, alpha.
    case rgba16

    /// The size of a pixel in bytes.
    public var bytesPerPixel: Int {
        switch self {
        case .gray8: 1
        case .rgba8: 4
        case .gray16: 2
        case .rgba16: 8
        }
    }

    /// The number of samples of a pixel, alpha included.
    public var channels: Int {
        switch self {
        case .gray8, .gray16: 1
        case .rgba8, .rgba16: 4
        }
    }
}
