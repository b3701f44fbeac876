import ImageCore

extension ImageFormat {
    /// The formats of Netpbm: PBM, PGM and PPM as text and in binary, and PAM.
    public static let netpbm = ImageFormat(
        rawValue: "netpbm", mediaType: "image/x-portable-anymap", fileExtensions: ["pnm", "pbm", "pgm", "ppm", "pam"],
        displayName: "Netpbm")
}
