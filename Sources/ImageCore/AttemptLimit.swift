/// The time limit of an attempt that starts now: the timeout of its request, or the deadline of its load if that is sooner.
package struct AttemptLimit: Sendable {
    /// How long the attempt may take.
    package let duration: Duration
    private let request: DataRequest
    private let isDeadline: Bool

    /// - Throws: ``ImageError/Code/deadlineExceeded`` when the deadline has passed already.
    package init(_ request: DataRequest) throws(ImageError) {
        self.request = request
        let remaining = try request.timeUntilDeadline()
        duration = min(request.timeout, remaining ?? request.timeout)
        isDeadline = remaining.map { $0 <= request.timeout } ?? false
    }

    /// The error for an attempt that did not end within the limit. A deadline that has moved since the attempt began, because loads
    /// joined it, has not ended the load: the attempt counts as timed out, and may be followed by another.
    package var error: ImageError {
        if isDeadline, let deadline = request.deadline, deadline.remaining <= Deadline.tolerance {
            return .deadlineExceeded(by: request.url, deadline)
        }
        return .timedOut(request.url, host: request.url.host() ?? "", timeout: request.timeout)
    }
}

extension DataRequest {
    /// The time until the deadline; `nil` without one.
    ///
    /// - Throws: ``ImageError/Code/deadlineExceeded`` when it has passed.
    package func timeUntilDeadline() throws(ImageError) -> Duration? {
        guard let deadline else { return nil }
        let remaining = deadline.remaining
        guard remaining > .zero else { throw .deadlineExceeded(by: url, deadline) }
        return remaining
    }

    /// The error of an attempt as the load reports it: a timeout at the deadline is the deadline's.
    ///
    /// A network layer that reads only ``timeout`` reports `timedOut` when a shortened timeout ends it, and its clock may be a
    /// few milliseconds ahead.
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
        let message =
            "The load of \(ImageSource.redacted(url)) did not end within its deadline of \(deadline.limit.inSeconds). "
            + "Raise the deadline to wait longer."
        return ImageError(.deadlineExceeded, message: message, causes: causes)
    }
}
