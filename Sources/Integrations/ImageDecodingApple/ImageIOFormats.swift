#if canImport(ImageIO)
    internal import Foundation
    public import ImageCore
    internal import ImageIO

    /// The uniform type identifiers by which ImageIO names formats.
    enum ImageIOFormats {
        private static let names: [(type: String, format: ImageFormat)] = [
            ("public.jpeg", .jpeg), ("public.png", .png), ("org.webmproject.webp", .webp), ("public.avif", .avif),
            ("com.compuserve.gif", .gif), ("public.heic", .heic), ("public.tiff", .tiff), ("com.microsoft.bmp", .bmp),
            // The sequences of the formats above.
            ("public.heics", .heic), ("public.avis", .avif),
        ]

        /// The formats that the system can read, in the order above.
        static let readable: [ImageFormat] = {
            let types = Set(CGImageSourceCopyTypeIdentifiers() as? [String] ?? [])
            return names.prefix(8).filter { types.contains($0.type) }.map(\.format)
        }()

        static func format(ofType type: String) -> ImageFormat? { names.first { $0.type == type }?.format }
        static func type(of format: ImageFormat) -> String? { names.first { $0.format == format }?.type }
    }

    extension ImageFormat {
        /// High Efficiency Image File Format with HEVC (ISO/IEC 23008-12).
        public static let heic = ImageFormat(rawValue: "heic")
        /// Tag Image File Format (TIFF 6.0).
        public static let tiff = ImageFormat(rawValue: "tiff")
        /// Windows bitmap.
        public static let bmp = ImageFormat(rawValue: "bmp")
    }
#endif
