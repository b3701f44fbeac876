public import ImageCore
internal import ImageDecoding
internal import ImageKernels

/// Encodes animated WebP.
///
/// Each frame is stored as the rectangle that differs from the previous frame, lossy or lossless by the options of
/// ``WebPEncoder``. The encoder holds two frames at a time, and the file so far. It checks for cancellation between
/// frames.
public struct AnimatedWebPEncoder: Sendable {
    /// An image and its duration.
    public struct Frame: Sendable {
        /// The image of the whole canvas.
        public var image: DecodedImage
        /// How long it is shown, at most 16,777 seconds (WebP stores milliseconds in 24 bits).
        public var duration: Duration

        /// Creates a frame.
        ///
        /// - Parameters:
        ///   - image: the image of the whole canvas.
        ///   - duration: How long it is shown, at most 16,777 seconds.
        public init(_ image: DecodedImage, duration: Duration) {
            self.image = image
            self.duration = duration
        }
    }

    /// WebP stores the loop count in 16 bits.
    private static let mostLoops = 65_535

    /// Creates an encoder.
    public init() {}

    /// Encodes a list of frames.
    ///
    /// - Parameters:
    ///   - frames: At least one frame. All have the size of the first, whose profile is embedded if the bitmap keeps
    ///     one.
    ///   - loopCount: the number of times that the animation is shown, at most 65,535. By default 0: endless.
    ///   - options: the options of each frame.
    /// - Returns: the WebP file.
    /// - Throws: ``ImageError`` (`invalidRequest`) for frames or numbers that are not allowed, or `CancellationError`.
    public func encode(_ frames: [Frame], loopCount: Int = 0, options: EncodeOptions = EncodeOptions()) throws -> Data {
        try encode(frames.map(\.duration), loopCount: loopCount, options: options) { frames[$0].image }
    }

    /// Encodes an animation, whose frames are made one at a time.
    ///
    /// A loop count above 65,535 is written as 65,535.
    ///
    /// - Parameters:
    ///   - animation: the animation.
    ///   - options: the options of each frame.
    /// - Returns: the WebP file.
    /// - Throws: the errors of the encoder for a list of frames, and those of the animation's frames.
    public func encode(_ animation: any ImageAnimation, options: EncodeOptions = EncodeOptions()) throws -> Data {
        try encode(
            animation.durations, loopCount: min(animation.loopCount, Self.mostLoops), options: options,
            frame: animation.frame(at:))
    }

    private func encode(
        _ durations: [Duration], loopCount: Int, options: EncodeOptions, frame: (Int) throws -> DecodedImage
    ) throws -> Data {
        guard 0...Self.mostLoops ~= loopCount, durations.allSatisfy({ $0 >= .zero && $0 <= .seconds(16_777) }) else {
            throw ImageError(
                .invalidRequest, message: "An animation loops up to 65535 times, and a frame shows from 0 to 16777 seconds.")
        }
        var (chunks, hasAlpha, profile, before) = (Data(), false, Data(), Bitmap?.none)
        for (index, duration) in durations.enumerated() {
            try options.cancellation?.check()
            let bitmap = try frame(index).bitmap.straightRGBA8()
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
            chunks.append(Self.chunk(of: file, place: place, milliseconds: Int((duration / .milliseconds(1)).rounded())))
            before = bitmap
        }
        guard let size = before?.size else {
            throw ImageError(.invalidRequest, message: "An animation needs at least one frame; none was given.")
        }
        // The background is transparent. Browsers ignore it.
        let animation = WebPFile.chunk("ANIM", Data(count: 4) + WebPFile.little(loopCount, 2))
        return WebPFile.extended(
            animation + chunks, size: size, hasAlpha: hasAlpha, isAnimated: true, profile: profile,
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
