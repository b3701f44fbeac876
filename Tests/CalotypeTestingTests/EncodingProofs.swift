import CalotypeTesting
import ImageCodecs
import ImageCore
import ImageDecoding

/// The PNG encoder with changes.
private struct Altered: Encoding {
    var formats: [ImageFormat] = [.png]
    var options: @Sendable (inout EncodeOptions) -> Void = { _ in }
    var image: @Sendable (DecodedImage) throws -> DecodedImage = { $0 }
    var file: @Sendable (inout Data) throws -> Void = { _ in }
    var failure: @Sendable (any Error) throws -> Data = { throw $0 }
    var animation: @Sendable (any ImageAnimation) throws -> Data? = { _ in nil }

    init(_ change: (inout Altered) -> Void) { change(&self) }

    func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
        var options = options
        self.options(&options)
        do {
            var file = try PNGEncoder().encode(self.image(image), as: .png, options: options)
            try self.file(&file)
            return file
        } catch {
            return try failure(error)
        }
    }
    func encode(_ animation: any ImageAnimation, as format: ImageFormat, options: EncodeOptions) throws -> Data? {
        try self.animation(animation)
    }
}

private func proof(_ rule: String, _ what: String, _ change: @escaping @Sendable (inout Altered) -> Void) -> Proof {
    Proof("Encoding.\(rule)", what) { try checkEncodingConformance(of: Altered(change), readBy: PNGDecoder()) }
}

/// Returns an image of the same kind with the bytes of every pixel changed.
private func mapped(_ image: DecodedImage, _ change: (_ pixel: inout [UInt8]) -> Void) throws -> DecodedImage {
    let bitmap = image.bitmap
    return image.with(
        try unsafe Bitmap(size: bitmap.size, format: bitmap.format, alpha: bitmap.alpha) { pixels, bytesPerRow in
            for y in 0..<bitmap.height {
                for x in 0..<bitmap.width {
                    var pixel = TestImages.pixel(of: image, x: x, y: y)
                    change(&pixel)
                    let start = y * bytesPerRow + x * pixel.count
                    for (index, byte) in pixel.enumerated() { unsafe pixels[start + index] = byte }
                }
            }
        })
}

/// Writes the frames that it gets, as animated WebP.
private func webP(_ frames: any ImageAnimation) throws -> Data? {
    var options = EncodeOptions()
    options.quality = 100
    return try WebPEncoder().encode(frames, as: .webp, options: options)
}

/// The WebP encoder with changes to animations.
private struct AlteredAnimations: Encoding {
    let altered: @Sendable (any ImageAnimation) throws -> Data?
    var formats: [ImageFormat] { [.webp] }
    func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
        try WebPEncoder().encode(image, as: format, options: options)
    }
    func encode(_ animation: any ImageAnimation, as format: ImageFormat, options: EncodeOptions) throws -> Data? {
        try altered(animation)
    }
}

private func animation(_ what: String, _ altered: @escaping @Sendable (any ImageAnimation) throws -> Data?) -> Proof {
    Proof("Encoding.keepsFrames", what) {
        try checkEncodingConformance(of: AlteredAnimations(altered: altered), readBy: WebPDecoder())
    }
}

let encodingProofs = [
    proof("listsFormats", "no formats") { $0.formats = [] },
    proof("leavesImage", "the image is overwritten") {
        $0.image = { image in
            unsafe image.bitmap.withUnsafePixels { pixels in
                unsafe UnsafeMutableRawBufferPointer(mutating: pixels)[0] &+= 1
            }
            return image
        }
    },
    Proof("Encoding.writesFormat", "another format") {
        struct Other: Encoding {
            var formats: [ImageFormat] { [.jpeg] }
            func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
                try PNGEncoder().encode(image, as: .png, options: options)
            }
        }
        try checkEncodingConformance(of: Other(), readBy: DecoderRegistry(.codecs))
    },
    proof("repeatsFiles", "the time is in the file") { $0.file = { $0.append(.random(in: 0...255)) } },
    proof("repeatsFiles", "nothing is encoded") { $0.image = { _ in throw ImageError(.unsupportedFeature, message: "No.") } },
    proof("keepsSize", "a row is lost") {
        $0.image = { image in
            image.size.height == 1 ? image : try TestImages.solid(width: image.size.width, height: image.size.height - 1)
        }
    },
    proof("keepsPixels", "one colour whatever comes") {
        $0.image = { try TestImages.solid(width: $0.size.width, height: $0.size.height, red: 100, green: 100, blue: 100) }
    },
    proof("keepsPixels", "red and blue are swapped") {
        $0.image = { image in
            try mapped(image) { pixel in
                if pixel.count == 4 { pixel.swapAt(0, 2) }
                if pixel.count == 8 {
                    pixel.swapAt(0, 4)
                    pixel.swapAt(1, 5)
                }
            }
        }
    },
    proof("keepsPixels", "the padding of rows is read as pixels") {
        $0.image = { image in
            let bitmap = image.bitmap
            return image.with(
                try unsafe Bitmap(size: bitmap.size, format: bitmap.format, alpha: bitmap.alpha) { pixels, bytesPerRow in
                    unsafe bitmap.withUnsafePixels { source in
                        let row = bitmap.width * bitmap.format.bytesPerPixel
                        for y in 0..<bitmap.height {
                            for x in 0..<row { unsafe pixels[y * bytesPerRow + x] = source[y * row + x] }
                        }
                    }
                })
        }
    },
    proof("keepsPixels", "the bytes of 16 bits are exchanged") {
        $0.image = { image in
            guard image.bitmap.format == .rgba16 || image.bitmap.format == .gray16 else { return image }
            return try mapped(image) { pixel in
                for index in stride(from: 0, to: pixel.count, by: 2) { pixel.swapAt(index, index + 1) }
            }
        }
    },
    proof("keepsPixels", "premultiplied colours are written as straight") {
        $0.image = { image in
            guard image.bitmap.alpha == .premultiplied, image.bitmap.format == .rgba8 else { return image }
            return try mapped(image) { pixel in
                for channel in 0..<3 { pixel[channel] = UInt8(Int(pixel[channel]) * Int(pixel[3]) / 255) }
            }
        }
    },
    proof("keepsPixels", "alpha is dropped") {
        $0.image = { image in
            guard image.bitmap.alpha == .premultiplied, image.bitmap.format == .rgba8 else { return image }
            let opaque = try mapped(image) { $0[3] = 255 }
            return opaque.with(opaque.bitmap.reinterpreted(alpha: .opaque))
        }
    },
    proof("keepsPixels", "16 bits become 8 by cutting into the lower half") {
        $0.image = { image in
            guard image.bitmap.format == .gray16 else { return image }
            return try mapped(image) { pixel in
                pixel[0] = 0; pixel[1] &= 0xF0
            }
        }
    },
    proof("keepsOrientation", "the orientation is lost") { $0.options = { $0.orientation = .up } },
    proof("keepsOrientation", "a mirrored orientation is lost") {
        $0.options = { if $0.orientation == .downMirrored { $0.orientation = .up } }
    },
    proof("stopsWhenCancelled", "the token is ignored") { $0.options = { $0.cancellation = nil } },
    proof("stopsWhenCancelled", "cancellation is another error") {
        $0.failure = { throw $0 is CancellationError ? ImageError(.corrupt, message: "Stopped.") : $0 }
    },
    animation("frames are requested and dropped") { animation in
        _ = try animation.frame(at: 0)
        return nil
    },
    animation("frames are requested backwards") { animation in
        try webP(FrameList(try [2, 1, 0].map { try animation.frame(at: $0) }.reversed()))
    },
    animation("the durations are lost") { animation in try webP(FrameList(try (0..<3).map { try animation.frame(at: $0) })) },
    animation("a frame is lost") { animation in try webP(FrameList(try (0..<2).map { try animation.frame(at: $0) })) },
]
