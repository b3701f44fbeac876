#if GTK
    internal import CCalotypeGTK
    public import ImageCore
    internal import ImageKernels

    /// A `GdkTexture` that shares the memory of a bitmap.
    ///
    /// RGBA bitmaps of 8 and 16 bits are not copied: the texture retains the bitmap. Grey bitmaps are converted to RGBA, since
    /// GTK 4.8 does not have a grey format.
    @safe public final class GTKTexture {
        /// The `GdkTexture`. It is valid as long as this object exists; take a GObject reference to keep it longer.
        public let pointer: UnsafeMutableRawPointer

        /// Makes a texture of a bitmap. `nil` if a grey bitmap could not be converted for lack of memory.
        public init?(_ bitmap: Bitmap) {
            guard let bitmap = bitmap.format.channels == 1 ? try? bitmap.convertedToRGBA8() : bitmap else { return nil }
            let format =
                switch (bitmap.format, bitmap.alpha) {
                case (.rgba16, .straight): CALOTYPE_GTK_RGBA16_STRAIGHT
                case (.rgba16, _): CALOTYPE_GTK_RGBA16
                case (_, .straight): CALOTYPE_GTK_RGBA8_STRAIGHT
                default: CALOTYPE_GTK_RGBA8
                }
            // The texture retains the bitmap, so that the address of the pixels stays valid after the closure.
            let owner = unsafe Unmanaged.passRetained(Owner(bitmap)).toOpaque()
            unsafe pointer = bitmap.withUnsafePixels { pixels in
                unsafe calotype_gtk_texture(
                    pixels.baseAddress, pixels.count, Int32(bitmap.width), Int32(bitmap.height), bitmap.bytesPerRow,
                    Int32(format),
                    { owner in if let owner = unsafe owner { unsafe Unmanaged<Owner>.fromOpaque(owner).release() } }, owner)
            }
        }

        deinit { unsafe calotype_gtk_unref(pointer) }

        /// Retains the bitmap as long as GTK uses the texture.
        private final class Owner {
            private let bitmap: Bitmap
            init(_ bitmap: Bitmap) { self.bitmap = bitmap }
        }
    }
#endif
