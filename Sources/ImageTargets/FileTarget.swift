internal import Dispatch
public import ImageCore

/// A view that is a file: each final image is encoded and replaces the file as a whole.
///
/// Previews and placeholders are not written. Encoding runs off Swift's cooperative pool.
public actor FileTarget: ImageViewAdapter {
    private let file: URL
    private let encoder: any Encoding
    private let format: ImageFormat
    private let options: EncodeOptions

    /// Why the last image could not be written; `nil` when it was.
    public private(set) var error: ImageError?

    /// - Parameters:
    ///   - file: a `file` URL. Its folder must exist.
    ///   - encoder: must list `format` among its formats.
    public init(_ file: URL, encoder: any Encoding, format: ImageFormat, options: EncodeOptions = EncodeOptions()) {
        self.file = file
        self.encoder = encoder
        self.format = format
        self.options = options
    }

    public func setImage(_ image: DecodedImage, transition: Transition) async {
        guard !image.isPreview else { return }
        do {
            let (encoder, format, options, file) = (encoder, format, options, file)
            try await FileTarget.offThePool {
                // Atomically: a reader sees the old picture or the new one, and a failure leaves the old.
                try encoder.encode(image, as: format, options: options).write(to: file, options: .atomic)
            }
            error = nil
        } catch {
            self.error = .wrapping(
                error as? ImageError
                    ?? ImageError(.fileUnreadable, message: "\(file.path) cannot be written.", causes: ["\(error)"]),
                stage: .deliver, source: file.path)
        }
    }

    public func setPlaceholder(_ placeholder: Placeholder) {}

    public func clear() {}

    public func setFailure(_ error: ImageError) { self.error = error }

    private static func offThePool(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result(catching: body)) }
        }
    }
}
