internal import HTTPTypes
public import ImageCore

/// What happened in one fetch, recorded when its body has ended.
public struct TransferRecord: Sendable, Hashable, CustomStringConvertible {
    /// How a fetch ended.
    public enum Ending: Sendable, Hashable {
        /// The body was read to its end.
        case whole
        /// The task was cancelled, or the body dropped before its end.
        case cancelled
        /// The fetch failed; the code is `nil` for an error of a plug-in.
        case failed(ImageError.Code?)
    }

    /// The method of the request.
    public var method: String
    /// The requested URL, without credentials, and without the values of its query unless they are to be shown.
    public var url: String
    /// The status code; `nil` without a response.
    public var status: Int?
    /// Bytes of the body that the reader got.
    public var receivedBytes = 0
    /// From the start of the fetch to its end, including the interceptors inside this one.
    public var total: Duration = .zero
    /// The time of each step until the response headers, if the network layer measures it.
    public var timing: TransferTiming?
    /// How the fetch ended.
    public var ending: Ending = .whole

    /// Such as `GET https://example.org/a.png: 200, 12034 bytes in 0.213 s`.
    public var description: String {
        let what =
            switch ending {
            case .whole: "\(receivedBytes) bytes"
            case .cancelled: "cancelled after \(receivedBytes) bytes"
            case .failed(let code): "failed with \(code.map(\.name) ?? "a plug-in's error") after \(receivedBytes) bytes"
            }
        return "\(method) \(url): \(status.map { "\($0), " } ?? "")\(what) in \(total.inSeconds)"
    }
}

/// Reports every fetch when it has ended: for metrics and logs.
///
/// ```swift
/// let metrics = TransferMetricsInterceptor { record in print(record.total, record.timing?.firstByte ?? .zero) }
/// ```
public struct TransferMetricsInterceptor: RequestInterceptor {
    private let hidesQueries: Bool
    private let elapsed: @Sendable () -> Duration
    private let report: @Sendable (TransferRecord) -> Void

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - hidesQueries: whether values in the query of a URL, which may be secrets, are left out; `true` by default.
    ///   - clock: measures the time; `ContinuousClock` by default.
    ///   - report: called once per fetch, on no actor, also for cancelled fetches.
    public init<C: Clock<Duration>>(
        hidesQueries: Bool = true, clock: C = ContinuousClock(), report: @escaping @Sendable (TransferRecord) -> Void
    ) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        self.hidesQueries = hidesQueries
        self.report = report
    }

    /// Sends the request unchanged, and reports the fetch when it has ended.
    public func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
        let url = URLRedaction.text(of: .url(request.url), hidesQueries: hidesQueries)
        var record = TransferRecord(method: request.method.rawValue, url: url)
        let start = elapsed()
        do {
            var response = try await next(request)
            (record.status, record.timing) = (response.head.status.code, response.timing)
            if let whole = response.body.wholeData {
                finish(record, .whole, receivedBytes: whole.count, start: start)
            } else {
                response.body =
                    WatchedBody(response.body, elapsed: elapsed) { [self, record] body in
                        finish(record, TransferRecord.Ending(body.ending), receivedBytes: body.receivedBytes, start: start)
                    }.stream
            }
            return response
        } catch {
            finish(record, TransferRecord.Ending(.failed(error)), receivedBytes: 0, start: start)
            throw error
        }
    }

    private func finish(_ record: TransferRecord, _ ending: TransferRecord.Ending, receivedBytes: Int, start: Duration) {
        var record = record
        (record.ending, record.receivedBytes, record.total) = (ending, receivedBytes, elapsed() - start)
        report(record)
    }
}

extension TransferRecord.Ending {
    fileprivate init(_ ending: WatchedBody.Ending) {
        switch ending {
        case .complete: self = .whole
        case .dropped: self = .cancelled
        case .failed(let error): self = error is CancellationError ? .cancelled : .failed((error as? ImageError)?.code)
        }
    }
}

/// Writes a line for every fetch when it has ended, except for cancelled ones.
///
/// ```swift
/// let logging = LoggingInterceptor { print($0) }
/// ```
public struct LoggingInterceptor: RequestInterceptor {
    private let metrics: TransferMetricsInterceptor

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - hidesQueries: whether values in the query of a URL, which may be secrets, are left out; `true` by default.
    ///   - log: gets a ``TransferRecord`` as text, without credentials.
    public init(hidesQueries: Bool = true, _ log: @escaping @Sendable (String) -> Void) {
        metrics = TransferMetricsInterceptor(hidesQueries: hidesQueries) { record in
            if record.ending != .cancelled { log(record.description) }
        }
    }

    /// Sends the request unchanged, and logs the fetch when it has ended.
    public func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
        try await metrics.intercept(request, next: next)
    }
}
