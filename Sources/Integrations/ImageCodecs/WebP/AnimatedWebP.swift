internal import ImageCore
internal import ImageDecoding
internal import ImageKernels

/// Encodes animated WebP.
///
/// Each frame is stored as the rectangle that differs from the previous frame. The encoder holds two frames at a time,
/// and the file so far. It checks for cancellation between frames.
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
        var (chunks, hasAlpha, profile, before) = (Data(), false, Data(), Bitmap?.none)
        for (index, duration) in animation.durations.enumerated() {
            try options.cancellation?.check()
            let bitmap = try animation.frame(at: index).bitmap.straightRGBA8()
            if before == nil { profile = bitmap.colorSpace.profile }
            if let size = before?.size, size != bitmap.size {
                throw ImageError(
                    .invalidRequest,
                    message: "All frames must have one size: frame \(index + 1) has \(bitmap.size) pixels, the first \(size).")
            }
            hasAlpha = hasAlpha || bitmap.alpha != .opaque
            let place = before.map { ChangedPart(from: $0, to: bitmap) } ?? ChangedPart(bitmap.size)
            // The pixels are only copied, so they may be marked as opaque, which the kernels accept.
            let part = try bitmap.reinterpreted(alpha: .opaque)
                .cropped(x: place.x, y: place.y, width: place.size.width, height: place.size.height)
            let file = try WebPEncoder.encode(part.reinterpreted(alpha: bitmap.alpha), options: options)
            let milliseconds = max(0, min(16_777_215, (duration / .milliseconds(1)).rounded()))
            chunks.append(chunk(of: file, place: place, milliseconds: Int(milliseconds)))
            before = bitmap
        }
        guard let size = before?.size else {
            throw ImageError(.invalidRequest, message: "An animation needs at least one frame; none was given.")
        }
        // The background is transparent. Browsers ignore it.
        let header = WebPFile.chunk("ANIM", Data(count: 4) + WebPFile.little(min(animation.loopCount, 65_535), 2))
        return WebPFile.extended(
            header + chunks, size: size, hasAlpha: hasAlpha, isAnimated: true, profile: profile,
            orientation: options.orientation)
    }

    /// `ANMF`: the position in units of two pixels, the size less one, milliseconds, and flags, before the image's
    /// chunks. With the flag 2 the frame replaces the pixels below it instead of being blended.
    private static func chunk(of file: Data, place: ChangedPart, milliseconds: Int) -> Data {
        var content = WebPFile.little(place.x / 2, 3) + WebPFile.little(place.y / 2, 3)
        content += WebPFile.little(place.size.width - 1, 3) + WebPFile.little(place.size.height - 1, 3)
        content += WebPFile.little(milliseconds, 3) + [2]
        return WebPFile.chunk("ANMF", content + WebPFile.imageChunks(of: file))
    }
}

/// The rectangle in which two images differ. It begins at even coordinates, and is never empty.
struct ChangedPart {
    let x: Int, y: Int
    let size: PixelSize

    /// The rectangle of a whole image.
    init(_ size: PixelSize) {
        (x, y) = (0, 0)
        self.size = size
    }

    /// - Parameters: Both images are 8-bit RGBA of the same size.
    init(from old: Bitmap, to new: Bitmap) {
        var (left, right, top, bottom) = (new.width, -1, new.height, -1)
        unsafe old.withUnsafePixels { old in
            unsafe new.withUnsafePixels { pixels in
                for y in 0..<new.height {
                    let row = (y * new.bytesPerRow)..<(y * new.bytesPerRow + 4 * new.width)
                    let (a, b) = unsafe (old[row], pixels[row])
                    guard let first = unsafe zip(a, b).enumerated().first(where: { $1.0 != $1.1 })?.offset else { continue }
                    let last = unsafe zip(a.reversed(), b.reversed()).enumerated().first { $1.0 != $1.1 }?.offset ?? 0
                    (left, right) = (min(left, first / 4), max(right, new.width - 1 - last / 4))
                    (top, bottom) = (min(top, y), y)
                }
            }
        }
        guard right >= 0 else {
            (x, y) = (0, 0)
            size = PixelSize(width: 1, height: 1)
            return
        }
        (x, y) = (left & ~1, top & ~1)
        size = PixelSize(width: right + 1 - x, height: bottom + 1 - y)
    }
}
