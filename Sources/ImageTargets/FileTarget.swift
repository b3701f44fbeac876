public import ImageCore

/// A view that is a file: each final image is encoded and replaces the file as a whole.
///
/// Previews and placeholders are not written, nor is an image that a newer one has overtaken. Encoding and writing run off
/// Swift's cooperative pool.
public actor FileTarget: ImageViewAdapter {
    private let stream: StreamTarget

    /// Why the last image could not be written, or loaded; `nil` when it was.
    public var error: ImageError? { get async { await stream.error } }

    /// - Parameters:
    ///   - file: a `file` URL. Its folder must exist.
    ///   - encoder: must list `format` among its formats.
    public init(_ file: URL, encoder: any Encoding, format: ImageFormat, options: EncodeOptions = EncodeOptions()) {
        stream = StreamTarget(encoder: encoder, format: format, options: options) { data in
            do {
                // Atomically: a reader sees the old picture or the new one, and a failure leaves the old.
                try await StreamTarget.offThePool { try data.write(to: file, options: .atomic) }
            } catch {
                throw ImageError(.fileUnwritable, message: "\(file.path) cannot be written.", causes: ["\(error)"])
            }
        }
    }

    public func setImage(_ image: DecodedImage, transition: Transition) async {
        await stream.setImage(image, transition: transition)
    }

    public func setPlaceholder(_ placeholder: Placeholder) async { await stream.setPlaceholder(placeholder) }
    public func clear() async { await stream.clear() }
    public func setFailure(_ error: ImageError) async { await stream.setFailure(error) }
}
