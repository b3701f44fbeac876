/// The time limit of one attempt to fetch, counted from now: the timeout of the request or the time until the deadline
/// of the load, whichever is shorter.
package struct AttemptLimit: Sendable {
    /// How long the attempt may take.
    package let duration: Duration
    private let request: DataRequest
    private let isDeadline: Bool

    /// - Throws: ``ImageError/Code/deadlineExceeded`` if the deadline has passed.
    package init(_ request: DataRequest) throws(ImageError) {
        self.request = request
        let remaining = request.deadline?.endsAttempts == false ? nil : try request.timeUntilDeadline()
        duration = min(request.timeout, remaining ?? request.timeout)
        isDeadline = remaining.map { $0 <= request.timeout } ?? false
    }

    /// The error for an attempt that exceeded the limit.
    ///
    /// The deadline may have moved since the attempt began, because other loads joined the fetch. Then the load has not
    /// ended: the attempt counts as timed out, and another may follow.
    package var error: ImageError {
        if isDeadline, let deadline = request.deadline, deadline.remaining <= Deadline.tolerance {
            return .deadlineExceeded(by: request.url, deadline)
        }
        return .timedOut(request.url, host: request.url.host() ?? "", timeout: request.timeout)
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
    /// The error for an attempt that took longer than its timeout.
    package static func timedOut(_ url: URL, host: String, timeout: Duration, causes: [String] = []) -> ImageError {
        let message =
            "“\(host)” did not send the whole response to \(ImageSource.redacted(url)) within the timeout of "
            + "\(timeout.inSeconds). Raise the timeout to wait longer."
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
