/// What a load reports to its caller, in order. The last event is exactly one ``finished(_:)``.
public enum LoadEvent: Sendable, CustomStringConvertible {
    /// More bytes have arrived.
    case progress(LoadProgress)
    /// A preview of the image.
    case preview(DecodedImage)
    /// The load has ended.
    case finished(Result<ImageResponse, LoadFailure>)

    /// The event on one line and without credentials, such as `finished: 64x48 rgba8 from network`.
    public var description: String {
        switch self {
        case .progress(let progress): "progress: \(progress)"
        case .preview(let image): "preview: \(image)"
        case .finished(let result): LoadEvent.describe(result)
        }
    }

    /// The result of a load on one line and without credentials.
    static func describe(_ result: Result<some CustomStringConvertible, LoadFailure>) -> String {
        switch result {
        case .success(let value): "finished: \(value)"
        case .failure(.cancelled): "cancelled"
        case .failure(.failed(let error)): "failed: \(error.debugDescription)"
        }
    }
}
