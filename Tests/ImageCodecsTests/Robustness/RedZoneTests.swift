#if os(Linux)
    import CalotypeSystem
    import ImageCore
    import Testing

    @Suite struct RedZoneTests {
        @Test(.enabled(if: isSanitized(by: "asan"), "there is no AddressSanitizer"))
        func whatLiesBehindALargeBitmapIsWatched() async {
            await #expect(processExitsWith: .failure) {
                // Of more than 4 MB, and not of whole pages.
                let size = PixelSize(width: 1000, height: 1100)
                guard let bitmap = try? unsafe Bitmap(size: size, format: .rgba8, alpha: .opaque, fill: { _, _ in }) else {
                    return
                }
                unsafe bitmap.withUnsafePixels { pixels in
                    let end = unsafe pixels.baseAddress.unsafelyUnwrapped + pixels.count
                    // Of functions that the sanitizer watches; Swift's own, unless they are inlined, it does not.
                    var byte: UInt8 = 0
                    print(unsafe memcmp(end, &byte, 1))
                }
            }
        }
    }
#endif
