internal import ImageCore
internal import ImageDecoding
internal import ImageKernels

/// Encodes animated WebP.
///
/// Each frame is stored as the rectangle that differs from the previous frame. The encoder holds two frames at a time,
/// and the file so far. It checks for cancellation between frames. An animation of one frame becomes a still image.
enum AnimatedWebP {
    /// Encodes an animation.
    ///
    /// - Parameters:
    ///   - animation: the animation. All frames have the size of the first, whose profile is embedded if the bitmap
    ///     keeps one. WebP stores the loop count in 16 bits and the milliseconds of a frame in 24 bits; larger numbers
    ///     are reduced.
    ///   - options: the options of each frame, as in ``WebPEncoder``.
    /// - Throws: ``ImageError`` (`invalidRequest`) for frames of different sizes; what the encoder and the animation
    ///   throw.
    static func encode(_ animation: any ImageAnimation, options: EncodeOptions) throws -> Data {
        let file = WebPFile()
        var (profile, before) = (Data(), Bitmap?.none)
        for (index, duration) in animation.durations.enumerated() {
            try options.cancellation?.check()
            let bitmap = try frame(index, of: animation).bitmap.fittingProfile(writesGray: false).straightRGBA8()
            if before == nil { profile = bitmap.colorSpace.profile }
            if let size = before?.size, size != bitmap.size {
                throw ImageError(
                    .invalidRequest,
                    message: "All frames must have one size: frame \(index + 1) has \(bitmap.size) pixels, the first \(size).")
            }
            let place = ChangedPart(from: before, to: bitmap)
            // The pixels are only copied, so they may be marked as opaque, which the kernels accept.
            let part = try bitmap.reinterpreted(alpha: .opaque)
                .cropped(x: place.x, y: place.y, width: place.size.width, height: place.size.height)
            let milliseconds = max(0, min(16_777_215, (duration / .milliseconds(1)).rounded()))
            try file.addFrame(
                WebPEncoder.encode(part.reinterpreted(alpha: bitmap.alpha), options: options), x: place.x, y: place.y,
                milliseconds: Int(milliseconds))
            before = bitmap
        }
        guard before != nil else {
            throw ImageError(.invalidRequest, message: "An animation needs at least one frame; none was given.")
        }
        return try file.data(loopCount: animation.loopCount, profile: profile, orientation: options.orientation)
    }

    /// Returns a frame, or throws an error that names it.
    private static func frame(_ index: Int, of animation: any ImageAnimation) throws -> DecodedImage {
        do {
            return try animation.frame(at: index)
        } catch var error as ImageError where animation.frameCount > 1 {
            error.message = "Frame \(index + 1) of the animation cannot be converted. \(error.message)"
            throw error
        }
    }
}

/// The rectangle in which two images differ. It begins at even coordinates, and is never empty.
struct ChangedPart {
    let x: Int, y: Int
    let size: PixelSize

    /// - Parameters:
    ///   - old: an image of the same size; `nil` if all of the new one counts as changed.
    ///   - new: an image in 8-bit RGBA, as the old one.
    init(from old: Bitmap?, to new: Bitmap) {
        var (left, right, top, bottom) = (new.width, -1, new.height, -1)
        if old == nil { (left, right, top, bottom) = (0, new.width - 1, 0, new.height - 1) }
        unsafe old?.withUnsafePixels { old in
            unsafe new.withUnsafePixels { pixels in
                for y in 0..<new.height {
                    for x in 0..<new.width {
                        let offset = y * new.bytesPerRow + 4 * x
                        let pixel = unsafe pixels.load(fromByteOffset: offset, as: UInt32.self)
                        guard unsafe old.load(fromByteOffset: offset, as: UInt32.self) != pixel else { continue }
                        (left, right, top, bottom) = (min(left, x), max(right, x), min(top, y), y)
                    }
                }
            }
        }
        // The first pixel if nothing has changed.
        if right < 0 { (left, right, top, bottom) = (0, 0, 0, 0) }
        (x, y) = (left & ~1, top & ~1)
        size = PixelSize(width: right + 1 - x, height: bottom + 1 - y)
    }
}
