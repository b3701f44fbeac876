internal import ImageCore

/// Which source a load tries after a failure: a value.
struct Fallbacks: Sendable {
    /// Why the sources that have been tried failed.
    private(set) var failures: [String] = []
    /// Whether the load ran again because it had ended at the limit of another load.
    private var hasRunAgain = false

    /// The source to try next; `nil` where none is left.
    ///
    /// - Parameter isBound: whether the error is the load's own (``LoadCoordinator/isBound(_:by:)``).
    mutating func next(of request: ImageRequest, after error: ImageError, isBound: Bool) -> ImageSource? {
        guard error.stage != .process, error.stage != .request else { return nil }
        if !isBound, !hasRunAgain {
            hasRunAgain = true
            return failures.isEmpty ? request.source : request.fallbacks[failures.count - 1]
        }
        guard failures.count < request.fallbacks.count else { return nil }
        failures.append(error.description)
        return request.fallbacks[failures.count - 1]
    }
}
