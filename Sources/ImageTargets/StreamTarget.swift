internal import Dispatch
public import ImageCore

/// A target view that encodes each image and passes the bytes to a closure, which may write them to a socket, a pipe or
/// a response body.
///
/// The closure gets one encoded image at a time, in the order in which the images were set. An image is skipped if a
/// newer image, a failure or ``ImageTarget/clear(isolation:)`` comes before its bytes are passed on. Placeholders are
/// not written. Of an animation, the first frame is written. Encoding does not run on Swift's cooperative thread pool.
///
/// ```swift
/// func send(
///     _ url: URL, with loader: any ImageProviding, by write: @escaping @Sendable (Data) async throws -> Void
/// ) async {
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
    /// The number of the latest change. Images with an older number are not written.
    private var latest = 0
    private var lastWrite: Task<Void, Never>?

    /// The reason why the last image was not loaded or written; `nil` if it was written.
    public private(set) var error: ImageError?

    /// Makes a target view for a stream of encoded images.
    ///
    /// - Parameters:
    ///   - encoder: encodes the images. Its formats must include `format`.
    ///   - format: the format of the encoded images.
    ///   - options: the quality and other settings of the encoder; its defaults if left out.
    ///   - writesPreviews: whether previews are written too; `false` by default.
    ///   - write: takes one encoded image, and returns when it is ready for the next one. An error that it throws
    ///     becomes ``error``.
    public init(
        encoder: any Encoding, format: ImageFormat, options: EncodeOptions = EncodeOptions(), writesPreviews: Bool = false,
        write: @escaping @Sendable (Data) async throws -> Void
    ) {
        (self.encoder, self.format, self.options) = (encoder, format, options)
        (self.writesPreviews, self.write) = (writesPreviews, write)
    }

    public func setImage(_ image: DecodedImage, transition: ImageTransition) async {
        guard writesPreviews || !image.isPreview else { return }
        latest += 1
        let task = Task { [number = latest, previous = lastWrite] in
            await previous?.value
            await encodeAndWrite(image, number)
        }
        lastWrite = task
        await task.value
    }

    /// Returns `true`: of an animation, only the first frame is written.
    public func prefersReducedMotion() -> Bool { true }

    public func setPlaceholder(_ placeholder: Placeholder) { latest += 1 }

    public func clear() { latest += 1 }

    public func setFailure(_ error: ImageError) {
        latest += 1
        self.error = error
    }

    private func encodeAndWrite(_ image: DecodedImage, _ number: Int) async {
        do {
            guard number == latest else { return }
            let data = try await StreamTarget.runOnDispatchQueue { [encoder, format, options] in
                try encoder.encode(image, as: format, options: options)
            }
            // A newer change may have come during encoding.
            guard number == latest else { return }
            try await write(data)
            error = nil
        } catch {
            self.error = .wrapping(error, stage: .deliver, source: nil)
        }
    }

    package static func runOnDispatchQueue<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Swift.Result(catching: body)) }
        }
    }
}
