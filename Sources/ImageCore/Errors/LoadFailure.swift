/// Why a load ended without an image: the only error that a loader throws.
///
/// A cancelled load throws ``cancelled`` and not `CancellationError`, for two reasons. The calls throw one type, so
/// that a `switch` over an error is complete and a completion gets the same values. And `CancellationError` says that
/// the current task was cancelled, while a load can also be cancelled by others: by its handle, its owner or the
/// release of its loader. Generic code ends quietly when it catches `CancellationError`, which would hide that its
/// image is missing.
///
/// ```swift
/// do {
///     _ = try await ImageLoader.shared.image(for: URL(string: "https://example.org/cat.jpg")!)
/// } catch {
///     if error.isCancelled { try Task.checkCancellation() }  // throws `CancellationError` if this task was cancelled
///     if error.code == .timedOut { print("Try again later:", error) }
/// }
/// ```
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

    /// Whether the load was cancelled.
    public var isCancelled: Bool { self == .cancelled }

    /// What went wrong (``ImageError/code``); `nil` if the load was cancelled.
    public var code: ImageError.Code? { error?.code }

    /// Who can act on the error (``ImageError/category``); `nil` if the load was cancelled.
    public var category: ImageError.Category? { error?.category }

    /// The error that a plug-in threw (``ImageError/underlying``); `nil` if the load was cancelled, or if it failed for
    /// another reason.
    public var underlying: (any Error)? { error?.underlying }

    /// The times and counts of the load (``ImageError/metrics``); `nil` if it was cancelled.
    public var metrics: LoadMetrics? { error?.metrics }

    /// The HTTP status of the response (``ImageError/status``); `nil` without one.
    public var status: Int? { error?.status }

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
