internal import ImageCore

/// Which source a load tries after a failure: a value.
struct Fallbacks: Sendable {
    /// Why the sources that have been tried failed.
    private(set) var failures: [String] = []
    /// Whether the load ran again because it had ended with the error of another load.
    private var hasRunAgain = false

    /// What to try next: the request itself, or one for a fallback source; `nil` where nothing is left.
    ///
    /// - Parameter isBound: whether the error is the load's own (``LoadCoordinator/isBound(_:by:)``).
    mutating func next(of request: ImageRequest, after error: ImageError, isBound: Bool) -> ImageRequest? {
        guard error.stage != .process, error.stage != .request else { return nil }
        if !isBound, !hasRunAgain {
            hasRunAgain = true
            return failures.isEmpty ? request : request.replacing(request.fallbacks[failures.count - 1])
        }
        guard failures.count < request.fallbacks.count else { return nil }
        failures.append(error.description)
        return request.replacing(request.fallbacks[failures.count - 1])
    }
}
