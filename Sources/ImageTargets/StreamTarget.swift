internal import Dispatch
public import ImageCore

/// A view that is a stream of bytes: each image is encoded and passed on as one piece, to a socket, a pipe, a response's body.
///
/// Pieces come in the order of their images and one at a time, and none that a newer image, a failure or
/// ``ImageTarget/clear(isolation:)`` has overtaken before its writing began. Placeholders are not written. Encoding runs off Swift's
/// cooperative pool.
///
/// ```swift
/// func send(_ url: URL, with loader: any ImageProviding, by write: @escaping @Sendable (Data) async throws -> Void) async {
///     let stream = StreamTarget(encoder: EncoderRegistry(.codecs), format: .jpeg, writesPreviews: true, write: write)
///     let target = ImageTarget(stream, loader: loader)
///     let (ends, end) = AsyncStream.makeStream(of: Void.self)
///     await target.setImage(ImageRequest(url: url)) { _ in end.finish() }
///     for await _ in ends {}
/// }
/// ```
public actor StreamTarget: ImageViewAdapter {
    private let encoder: any Encoding
    private let format: ImageFormat
    private let options: EncodeOptions
    private let writesPreviews: Bool
    private let write: @Sendable (Data) async throws -> Void
    /// Counts what the view was told; a piece of an older number is not begun any more.
    private var latest = 0
    private var lastPiece: Task<Void, Never>?

    /// Why the last image was not written, or not loaded; `nil` when it was.
    public private(set) var error: ImageError?

    /// - Parameters:
    ///   - encoder: must list `format` among its formats.
    ///   - writesPreviews: whether previews are pieces too, as a picture that grows; only final images by default.
    ///   - write: takes one encoded image, and returns when there is room for the next. What it throws becomes ``error``.
    public init(
        encoder: any Encoding, format: ImageFormat, options: EncodeOptions = EncodeOptions(), writesPreviews: Bool = false,
        write: @escaping @Sendable (Data) async throws -> Void
    ) {
        (self.encoder, self.format, self.options) = (encoder, format, options)
        (self.writesPreviews, self.write) = (writesPreviews, write)
    }

    public func setImage(_ image: DecodedImage, transition: Transition) async {
        guard writesPreviews || !image.isPreview else { return }
        latest += 1
        let piece = Task { [number = latest, before = lastPiece] in
            await before?.value
            await pass(image, number)
        }
        lastPiece = piece
        await piece.value
    }

    public func setPlaceholder(_ placeholder: Placeholder) { latest += 1 }

    public func clear() { latest += 1 }

    public func setFailure(_ error: ImageError) {
        latest += 1
        self.error = error
    }

    private func pass(_ image: DecodedImage, _ number: Int) async {
        do {
            guard number == latest else { return }
            let data = try await StreamTarget.offThePool { [encoder, format, options] in
                try encoder.encode(image, as: format, options: options)
            }
            // Something newer may have come meanwhile.
            guard number == latest else { return }
            try await write(data)
            error = nil
        } catch {
            self.error = .wrapping(error, stage: .deliver, source: nil)
        }
    }

    static func offThePool<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Swift.Result(catching: body)) }
        }
    }
}
