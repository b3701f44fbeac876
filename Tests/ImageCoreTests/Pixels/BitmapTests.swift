import ImageCore
import Testing

@Suite struct Geometry {
    private func output(_ source: (Int, Int), _ box: (Int, Int), _ mode: ImageContentMode, upscales: Bool = false) -> PixelSize {
        ResizeGeometry(
            source: PixelSize(width: source.0, height: source.1), box: PixelSize(width: box.0, height: box.1), mode: mode,
            upscales: upscales
        ).output
    }

    @Test func fitKeepsTheAspectRatioInsideTheBox() {
        #expect(output((6000, 4000), (400, 400), .fit) == PixelSize(width: 400, height: 267))
        #expect(output((10, 10_000), (100, 100), .fit) == PixelSize(width: 1, height: 100))
    }

    @Test func imagesAreEnlargedOnlyOnRequest() {
        #expect(output((30, 20), (400, 400), .fit) == PixelSize(width: 30, height: 20))
        #expect(output((30, 20), (60, 60), .fit, upscales: true) == PixelSize(width: 60, height: 40))
        #expect(output((30, 20), (400, 400), .fill) == PixelSize(width: 20, height: 20))
        #expect(output((30, 20), (60, 10), .exact) == PixelSize(width: 30, height: 10))
        #expect(output((30, 20), (60, 10), .exact, upscales: true) == PixelSize(width: 60, height: 10))
    }

    @Test func fillCoversTheBoxAndCropsBothSidesEqually() {
        let geometry = ResizeGeometry(
            source: PixelSize(width: 400, height: 200), box: PixelSize(width: 100, height: 100), mode: .fill)
        #expect(geometry.output == PixelSize(width: 100, height: 100))
        #expect(geometry.x == 100 && geometry.y == 0 && geometry.width == 200 && geometry.height == 200)
    }
}

@Suite(.timeLimit(.minutes(1))) struct Bitmaps {
    @Test func rowsAreAlignedAndPixelsAreZeroAtFirst() throws {
        let bitmap = try unsafe Bitmap(size: PixelSize(width: 3, height: 2), format: .rgba8, alpha: .premultiplied) {
            pixels, row in
            let bytes = unsafe Array(pixels)
            #expect(row == 64 && bytes == [UInt8](repeating: 0, count: 128))
            unsafe pixels[64] = 5
        }
        unsafe bitmap.withUnsafePixels { pixels in
            let (address, value) = (Int(bitPattern: pixels.baseAddress), unsafe pixels[64])
            #expect(address % 64 == 0 && value == 5)
        }
        #expect(bitmap.byteCount == 128)
    }

    /// Sizes around the minimum of large pages, and around multiples of both page sizes.
    @Test(arguments: [1023, 1024, 1025, 1279, 1281, 1536, 8000])
    func largeBitmapsAreZeroAtFirstAndDoNotOverlap(height: Int) throws {
        let size = PixelSize(width: 1024, height: height)
        let bitmaps = try (1...3).map { mark in
            try unsafe Bitmap(size: size, format: .rgba8, alpha: .opaque) { pixels, row in
                #expect(pixels.count == 4096 * height && Int(bitPattern: pixels.baseAddress) % 64 == 0)
                for y in 0..<height { #expect(unsafe pixels[y * row] == 0 && pixels[y * row + row - 1] == 0) }
                unsafe (pixels[0], pixels[pixels.count - 1]) = (UInt8(mark), UInt8(mark))
            }
        }
        for (bitmap, mark) in zip(bitmaps, 1...) {
            unsafe bitmap.withUnsafePixels { pixels in
                #expect(unsafe pixels[0] == mark && pixels[pixels.count - 1] == mark)
            }
        }
    }

    #if os(Linux)
        /// In a separate process, because threads of other tests use address space too.
        @Test func largeBitmapsFreeTheirMemory() async throws {
            await #expect(processExitsWith: .success) {
                /// The address space in pages: the first number of the file.
                func pages() throws -> Int {
                    let text = try String(contentsOf: URL(filePath: "/proc/self/statm"), encoding: .utf8)
                    return try #require(text.split(separator: " ").first.flatMap { Int($0) })
                }
                let before = try pages()
                for height in 2000..<2100 {
                    let size = PixelSize(width: 4096, height: height)
                    _ = try unsafe Bitmap(size: size, format: .rgba8, alpha: .opaque) { _, _ in }
                }
                // Each bitmap has 32 MB, and two of them would exceed the limit.
                let more = try pages() - before
                #expect(more < 2 * 32 << 20 / 4096)
            }
        }
    #endif

    @Test(arguments: [PixelSize(width: 0, height: 1), PixelSize(width: -1, height: 5), PixelSize(width: .max, height: 2)])
    func invalidSizesThrow(size: PixelSize) {
        #expect(throws: ImageError.self) { try unsafe Bitmap(size: size, format: .rgba8, alpha: .opaque) { _, _ in } }
    }

    @Test func anErrorWhileFillingIsRethrownAndGreyIsAlwaysOpaque() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try unsafe Bitmap(size: PixelSize(width: 1, height: 1), format: .rgba8, alpha: .opaque) { _, _ in throw Stop() }
        }
        let grey = try unsafe Bitmap(size: PixelSize(width: 1, height: 1), format: .gray8, alpha: .straight) { _, _ in }
        #expect(grey.alpha == .opaque)
    }

    @Test func pixelsAndBytesAreChecked() {
        var limits = DecodingLimits()
        limits.pixels = 100
        #expect(throws: Never.self) { try limits.check(PixelSize(width: 10, height: 10)) }
        #expect(throws: ImageError.self) { try limits.check(PixelSize(width: 101, height: 1)) }
        #expect(throws: ImageError.self) { try limits.check(PixelSize(width: .max, height: .max)) }
        // A limit that is not set is not named.
        limits.pixels = .max
        limits.imageBytes = 1000
        for size in [PixelSize(width: 101, height: 1000), PixelSize(width: .max, height: .max)] {
            let error = #expect(throws: ImageError.self) { try limits.check(size) }
            #expect(error?.message.contains("limit of 1000 bytes") == true)
        }
        limits.imageBytes = 399
        #expect(throws: ImageError.self) { try limits.check(PixelSize(width: 10, height: 10)) }
    }
}
