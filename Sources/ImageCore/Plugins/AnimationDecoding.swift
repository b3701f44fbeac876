/// A decoder of a format with animations.
///
/// A ``Decoding`` plug-in may conform to this protocol. ``animation(of:options:)`` is called synchronously, on any
/// thread, for bytes that the decoder accepted. One thread at a time uses the animation that it returns.
///
/// **Cancelling, errors, must not**: as for ``Decoding``.
///
/// ```swift
/// func play(_ file: Data, by decoder: any AnimationDecoding, show: (DecodedImage, Duration) -> Void) throws {
///     let animation = try decoder.animation(of: file, options: DecodeOptions())
///     for (index, duration) in animation.durations.enumerated() { show(try animation.frame(at: index), duration) }
/// }
/// ```
public protocol AnimationDecoding: Decoding {
    /// Returns the animation in a file. Each frame is decoded when it is requested; a still image is an animation of
    /// one frame.
    ///
    /// - Parameters:
    ///   - data: the whole file.
    ///   - options: how to decode every frame; ``DecodeOptions/frame`` has no effect. With
    ///     ``DecodeOptions/allowsPartial``, damaged frames, and frames drawn over a damaged one, are partial images
    ///     instead of errors.
    /// - Throws: ``ImageError`` if the file is damaged or exceeds the limits.
    func animation(of data: Data, options: DecodeOptions) throws -> any ImageAnimation
}
