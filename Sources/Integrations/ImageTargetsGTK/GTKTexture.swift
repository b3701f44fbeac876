#if GTK
    internal import CCalotypeLibGTK
    public import ImageCore
    internal import ImageKernels

    /// A `GdkTexture` that shares the memory of a bitmap.
    ///
    /// RGBA bitmaps of 8 and 16 bits are not copied: the texture retains the bitmap. Grey bitmaps are converted to
    /// RGBA, since GTK 4.8 does not have a grey format.
    @safe public final class GTKTexture {
        /// The `GdkTexture`. It is valid as long as this object exists; take a GObject reference to keep it longer.
        public let pointer: UnsafeMutableRawPointer

        /// Makes a texture of a bitmap. `nil` if a grey bitmap could not be converted for lack of memory.
        public init?(_ bitmap: Bitmap) {
            guard let bitmap = bitmap.format.channels == 1 ? try? bitmap.convertedToRGBA8() : bitmap else { return nil }
            let format =
                switch (bitmap.format, bitmap.alpha) {
                case (.rgba16, .straight): GDK_MEMORY_R16G16B16A16
                case (.rgba16, _): GDK_MEMORY_R16G16B16A16_PREMULTIPLIED
                case (_, .straight): GDK_MEMORY_R8G8B8A8
                default: GDK_MEMORY_R8G8B8A8_PREMULTIPLIED
                }
            // The texture retains the bitmap, on any thread, so that the address of the pixels stays valid after the
            // closure.
            let owner = unsafe GTKContext.retain(Owner(bitmap))
            unsafe pointer = bitmap.withUnsafePixels { pixels in
                let bytes = unsafe g_bytes_new_with_free_func(
                    pixels.baseAddress, gsize(pixels.count), GTKContext.release, owner)
                defer { unsafe g_bytes_unref(bytes) }
                return unsafe gtkCast(
                    gdk_memory_texture_new(
                        Int32(bitmap.width), Int32(bitmap.height), format, bytes, gsize(bitmap.bytesPerRow)))
            }
        }

        deinit { unsafe g_object_unref(pointer) }

        /// Retains the bitmap as long as GTK uses the texture.
        private final class Owner {
            private let bitmap: Bitmap
            init(_ bitmap: Bitmap) { self.bitmap = bitmap }
        }
    }
#endif
