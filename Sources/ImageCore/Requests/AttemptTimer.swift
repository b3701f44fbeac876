/// The time limits of one attempt to fetch, for a network layer: it ends when it makes no progress for the timeout of
/// the request, or at the deadline of the load.
package final class AttemptTimer: Sendable {
    private struct State {
        var lastProgress: Duration
        var isPaused = false
    }

    private let request: DataRequest
    private let clock: AnyClock
    private let state: Lock<State>

    /// Starts an attempt.
    ///
    /// - Throws: ``ImageError/Code/deadlineExceeded`` if the deadline has passed.
    package init(_ request: DataRequest, clock: some Clock<Duration> = ContinuousClock()) throws(ImageError) {
        _ = try request.withTimeoutUntilDeadline()
        self.request = request
        self.clock = AnyClock(clock)
        state = Lock(State(lastProgress: .zero))
    }

    /// The server sent or accepted something: its silence begins again.
    package func noteProgress() { state.withLock { $0.lastProgress = clock.now } }

    /// Silence does not count while the reader holds the body back.
    package func setPaused(_ isPaused: Bool) {
        state.withLock { $0 = State(lastProgress: clock.now, isPaused: isPaused) }
    }

    /// Waits until a limit is over.
    ///
    /// - Returns: the error of the attempt.
    /// - Throws: `CancellationError` if the task is cancelled.
    package func waitForLimit() async throws -> ImageError {
        while true {
            let timeout = request.timeout
            var left = state.withLock { $0.isPaused ? timeout : $0.lastProgress + timeout.clampedToClockRange - clock.now }
            if left <= .zero { return .timedOut(request.url, host: request.url.host() ?? "", timeout: timeout) }
            if let deadline = request.deadline, deadline.endsAttempts {
                guard deadline.remaining > .zero else { return .deadlineExceeded(by: request.url, deadline) }
                left = min(left, deadline.remaining)
            }
            try await clock.sleep(for: left)
        }
    }

    /// Waits for an operation, and cancels it when a limit is over.
    ///
    /// - Returns: the value of the operation, or the error of the attempt.
    /// - Throws: what the operation throws; `CancellationError` if the task is cancelled.
    package func value<Value: Sendable>(
        of operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Result<Value, ImageError> {
        try await withThrowingTaskGroup(of: Result<Value, ImageError>.self) { group in
            group.addTask { .success(try await operation()) }
            group.addTask { .failure(try await self.waitForLimit()) }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }
}

extension DataRequest {
    /// The time until the deadline; `nil` without a deadline.
    ///
    /// - Throws: ``ImageError/Code/deadlineExceeded`` if the deadline has passed.
    package func timeUntilDeadline() throws(ImageError) -> Duration? {
        guard let deadline else { return nil }
        let remaining = deadline.remaining
        guard remaining > .zero else { throw .deadlineExceeded(by: url, deadline) }
        return remaining
    }

    /// The request for an attempt that begins now. A network layer that reads only ``timeout`` then notices a silent
    /// server by the deadline.
    ///
    /// - Throws: ``ImageError/Code/deadlineExceeded`` if the deadline has passed.
    package func withTimeoutUntilDeadline() throws(ImageError) -> DataRequest {
        guard deadline?.endsAttempts == true, let remaining = try timeUntilDeadline() else { return self }
        var attempt = self
        attempt.timeout = min(timeout, remaining)
        return attempt
    }

    /// Returns `deadlineExceeded` for a timeout that occurred at the deadline, and any other error unchanged.
    ///
    /// A network layer that reads only ``timeout`` reports `timedOut` when the deadline shortened that timeout.
    package func replacingTimeoutAtDeadline(_ error: any Error) -> any Error {
        guard let timeout = error as? ImageError, timeout.code == .timedOut, let deadline,
            deadline.remaining <= Deadline.tolerance
        else { return error }
        return ImageError.deadlineExceeded(by: url, deadline, causes: [timeout.message] + timeout.causes)
    }
}

extension ImageError {
    /// The error for an attempt without progress for as long as its timeout.
    package static func timedOut(_ url: URL, host: String, timeout: Duration, causes: [String] = []) -> ImageError {
        let message =
            "“\(host)” sent nothing for \(timeout.inSeconds), the timeout, before the response to "
            + "\(ImageSource.redacted(url)) was complete. Raise the timeout to wait longer."
        return ImageError(.timedOut, message: message, causes: causes)
    }

    /// The error for a load that its deadline ended.
    package static func deadlineExceeded(by url: URL, _ deadline: Deadline, causes: [String] = []) -> ImageError {
        deadlineExceeded(by: ImageSource.redacted(url), after: deadline.limit, causes: causes)
    }

    /// The same for a source as errors name it.
    package static func deadlineExceeded(by source: String, after limit: Duration, causes: [String]) -> ImageError {
        let message =
            "The load of \(source) did not end within its deadline of \(limit.inSeconds). Raise the deadline to wait longer."
        return ImageError(.deadlineExceeded, message: message, causes: causes)
    }
}
