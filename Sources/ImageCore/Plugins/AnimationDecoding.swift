/// A decoder of a format that has animations.
///
/// A ``Decoding`` plug-in adopts it beside that protocol. `animation(of:options:)` is called synchronously, on any thread, for
/// bytes that the decoder accepted; what it returns is used by one thread at a time.
///
/// **Cancelling, errors, must not**: as for ``Decoding``.
///
/// ```swift
/// func play(_ file: Data, by decoder: any AnimationDecoding, show: (DecodedImage, _ seconds: Double) -> Void) throws {
///     let animation = try decoder.animation(of: file, options: DecodeOptions())
///     for (index, seconds) in animation.durations.enumerated() { show(try animation.frame(at: index), seconds) }
/// }
/// ```
public protocol AnimationDecoding: Decoding {
    /// The frames of a file, each decoded when it is asked for; a still image is an animation of one frame.
    ///
    /// - Parameters:
    ///   - data: the whole file.
    ///   - options: for every frame; ``DecodeOptions/frame`` has no effect. With ``DecodeOptions/allowsPartial``, damaged frames,
    ///     and frames drawn on a damaged one, are partial images instead of errors.
    /// - Throws: ``ImageError`` where the file is not readable or beyond the limits.
    func animation(of data: Data, options: DecodeOptions) throws -> any ImageAnimation
}
