#if GTK
    internal import CCalotypeGTK
    public import ImageCore
    internal import ImageKernels

    /// A bitmap as a `GdkTexture`, over the bitmap's own memory.
    ///
    /// RGBA of 8 and 16 bits is handed over without a copy: the texture keeps the bitmap, and whoever keeps the texture
    /// keeps both. Grey, which GTK 4.8 has no format for, is converted.
    @safe public final class GTKTexture {
        /// The `GdkTexture`. Valid as long as this object lives; take a reference to keep it longer.
        public let pointer: UnsafeMutableRawPointer

        /// `nil` where there is no memory to convert a picture.
        public init?(_ bitmap: Bitmap) {
            guard let bitmap = bitmap.format.channels == 1 ? try? bitmap.convertedToRGBA8() : bitmap else { return nil }
            let format =
                switch (bitmap.format, bitmap.alpha) {
                case (.rgba16, .straight): CALOTYPE_GTK_RGBA16_STRAIGHT
                case (.rgba16, _): CALOTYPE_GTK_RGBA16
                case (_, .straight): CALOTYPE_GTK_RGBA8_STRAIGHT
                default: CALOTYPE_GTK_RGBA8
                }
            // The texture owns a reference to the pixels, so that their address stays good after the closure.
            let owner = unsafe Unmanaged.passRetained(Owner(bitmap)).toOpaque()
            unsafe pointer = bitmap.withUnsafePixels { pixels in
                unsafe calotype_gtk_texture(
                    pixels.baseAddress, pixels.count, Int32(bitmap.width), Int32(bitmap.height), bitmap.bytesPerRow,
                    Int32(format),
                    { owner in if let owner = unsafe owner { unsafe Unmanaged<Owner>.fromOpaque(owner).release() } }, owner)
            }
        }

        /// One pixel of a colour; components straight, 0 to 1.
        init(red: Double, green: Double, blue: Double, alpha: Double) {
            let rgba = [red, green, blue, alpha].map { UInt8(max(0, min(1, $0)) * 255 + 0.5) }
            unsafe pointer = calotype_gtk_color(rgba)
        }

        deinit { unsafe calotype_gtk_unref(pointer) }

        private final class Owner {
            private let bitmap: Bitmap
            init(_ bitmap: Bitmap) { self.bitmap = bitmap }
        }
    }
#endif
