public import ImageCore

/// A target view that writes each final image to a file, which it replaces atomically.
///
/// Previews and placeholders are not written, and neither is an image that a newer one replaces in the meantime. Of an animation, the
/// first frame is written. Encoding and writing do not run on Swift's cooperative thread pool.
public actor FileTarget: ImageViewAdapter {
    private let stream: StreamTarget

    /// The reason why the last image was not loaded or written; `nil` if it was written.
    public var error: ImageError? { get async { await stream.error } }

    /// Makes a target view for a file.
    ///
    /// - Parameters:
    ///   - file: a `file` URL. Its folder must exist.
    ///   - encoder: encodes the images. Its formats must include `format`.
    ///   - format: the format of the file.
    ///   - options: the quality and other settings of the encoder; its defaults if left out.
    public init(_ file: URL, encoder: any Encoding, format: ImageFormat, options: EncodeOptions = EncodeOptions()) {
        stream = StreamTarget(encoder: encoder, format: format, options: options) { data in
            do {
                // A reader sees either the old image or the new one, and a failure leaves the old one.
                try await StreamTarget.runOnDispatchQueue { try data.write(to: file, options: .atomic) }
            } catch {
                throw ImageError(
                    .fileUnwritable,
                    message: "\(file.path) could not be written. Check its folder, its permissions and the free space.",
                    causes: ["\(error)"])
            }
        }
    }

    public func setImage(_ image: DecodedImage, transition: Transition) async {
        await stream.setImage(image, transition: transition)
    }

    /// Returns `true`: of an animation, only the first frame is written.
    public func prefersReducedMotion() -> Bool { true }

    public func setPlaceholder(_ placeholder: Placeholder) async { await stream.setPlaceholder(placeholder) }
    public func clear() async { await stream.clear() }
    public func setFailure(_ error: ImageError) async { await stream.setFailure(error) }
}
