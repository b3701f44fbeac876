internal import HTTPTypes
public import ImageCore

/// Reports every fetch when it has ended: for metrics and logs.
///
/// ```swift
/// let metrics = TransferMetricsInterceptor { record in print(record.total, record.timing?.firstByte ?? .zero) }
/// ```
public struct TransferMetricsInterceptor: RequestInterceptor {
    private let hidesQueries: Bool
    private let clock: AnyClock
    private let report: @Sendable (TransferRecord) -> Void

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - hidesQueries: whether values in the query of a URL, which may be secrets, are left out; `true` by default.
    ///   - clock: measures the time; `ContinuousClock` by default.
    ///   - report: called once per fetch, on no actor, also for cancelled fetches.
    public init(
        hidesQueries: Bool = true, clock: any Clock<Duration> = ContinuousClock(),
        report: @escaping @Sendable (TransferRecord) -> Void
    ) {
        self.clock = AnyClock(clock)
        self.hidesQueries = hidesQueries
        self.report = report
    }

    /// Sends the request unchanged, and reports the fetch when it has ended.
    public func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
        let url = URLRedaction.text(of: .url(request.url), hidesQueries: hidesQueries)
        var record = TransferRecord(method: request.method.rawValue, url: url)
        let start = clock.now
        do {
            var response = try await next(request)
            (record.status, record.timing) = (response.head.status.code, response.timing)
            if let whole = response.body.wholeData {
                finish(record, .whole, receivedBytes: whole.count, start: start)
            } else {
                response.body = response.body.onEnd { [self, record] receivedBytes, error in
                    finish(record, TransferRecord.Ending(error), receivedBytes: receivedBytes, start: start)
                }
            }
            return response
        } catch {
            finish(record, TransferRecord.Ending(error), receivedBytes: 0, start: start)
            throw error
        }
    }

    private func finish(_ record: TransferRecord, _ ending: TransferRecord.Ending, receivedBytes: Int, start: Duration) {
        var record = record
        (record.ending, record.receivedBytes, record.total) = (ending, receivedBytes, clock.now - start)
        report(record)
    }
}

extension TransferRecord.Ending {
    fileprivate init(_ error: (any Error)?) {
        switch error {
        case nil: self = .whole
        case is CancellationError: self = .cancelled
        case let error: self = .failed((error as? ImageError)?.code)
        }
    }
}
