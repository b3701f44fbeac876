/// Why a load ended without an image: the only error that a loader throws.
public enum LoadFailure: Error, Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The load was cancelled. This is not counted or logged as a failure.
    case cancelled
    /// The load failed.
    // Indirect, which keeps the results of the engine small.
    indirect case failed(ImageError)

    /// The error; `nil` if the load was cancelled.
    public var error: ImageError? {
        if case .failed(let error) = self { error } else { nil }
    }

    public var description: String {
        switch self {
        case .cancelled: "The load was cancelled."
        case .failed(let error): error.description
        }
    }

    public var debugDescription: String {
        switch self {
        case .cancelled: "cancelled"
        case .failed(let error): error.debugDescription
        }
    }
}
