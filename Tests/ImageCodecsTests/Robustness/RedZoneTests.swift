#if os(Linux)
    import CalotypeSystem
    import ImageCore
    import Testing

    @Suite(.timeLimit(.minutes(1))) struct RedZoneTests {
        @Test(.enabled(if: isSanitized(by: "asan"), "there is no AddressSanitizer"))
        func accessesBeyondALargeBitmapAreDetected() async {
            await #expect(processExitsWith: .failure) {
                // The bitmap has more than 4 MB, and its size is no multiple of the page size.
                let size = PixelSize(width: 1000, height: 1100)
                guard let bitmap = try? unsafe Bitmap(size: size, format: .rgba8, alpha: .opaque, fill: { _, _ in }) else {
                    return
                }
                unsafe bitmap.withUnsafePixels { pixels in
                    let end = unsafe pixels.baseAddress.unsafelyUnwrapped + pixels.count
                    // The sanitizer checks calls of memcpy. It does not check Swift's own accesses unless they are
                    // inlined.
                    var byte: UInt8 = 0
                    print(unsafe memcmp(end, &byte, 1))
                }
            }
        }
    }
#endif
