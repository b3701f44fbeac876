internal import HTTPTypes
public import ImageCore

/// What one fetch came to, when all of it is over.
public struct TransferRecord: Sendable, Hashable, CustomStringConvertible {
    public enum Ending: Sendable, Hashable {
        /// The body was read to its end.
        case whole
        /// Nobody wanted the rest.
        case cancelled
        case failed(ImageError.Code?)
    }

    public var method: String
    /// The URL asked for, without credentials, and without the values of its query unless they were asked for.
    public var url: String
    /// `nil` when there was no answer.
    public var status: Int?
    /// Bytes of the body that were handed out.
    public var receivedBytes = 0
    /// From the start of the fetch to its end, what interceptors further inwards did included.
    public var total: Duration = .zero
    /// Where the time until the head went, where the network layer measures it.
    public var timing: TransferTiming?
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

/// Tells of every fetch when it is over: for metrics and logs.
///
/// ```swift
/// let metrics = TransferMetricsInterceptor { record in print(record.total, record.timing?.firstByte ?? .zero) }
/// ```
public struct TransferMetricsInterceptor: RequestInterceptor {
    private let hidesQueries: Bool
    private let elapsed: @Sendable () -> Duration
    private let report: @Sendable (TransferRecord) -> Void

    /// - Parameters:
    ///   - hidesQueries: whether values in the query of a URL, which may be secrets, are left out; `true`.
    ///   - clock: by which time is told.
    ///   - report: called once per fetch, on no actor; cancelled fetches are reported as such.
    public init<C: Clock<Duration>>(
        hidesQueries: Bool = true, clock: C = ContinuousClock(), report: @escaping @Sendable (TransferRecord) -> Void
    ) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        self.hidesQueries = hidesQueries
        self.report = report
    }

    public func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
        let url = URLRedaction.text(of: .url(request.url), hidesQueries: hidesQueries)
        let record = TransferRecord(method: request.method.rawValue, url: url)
        let recorder = RecordedBody(record, began: elapsed(), elapsed: elapsed, report: report)
        do {
            var response = try await next(request)
            recorder.begin(response)
            if let whole = response.body.wholeData {
                recorder.passed(whole.count)
                recorder.end(.whole)
            } else {
                response.body = ByteStream { try await recorder.next() }
            }
            return response
        } catch {
            recorder.end(.of(error))
            throw error
        }
    }
}

/// Writes a line for every fetch that is over. Cancelled ones are no event, and leave none.
///
/// ```swift
/// let logging = LoggingInterceptor { print($0) }
/// ```
public struct LoggingInterceptor: RequestInterceptor {
    private let metrics: TransferMetricsInterceptor

    /// - Parameters:
    ///   - hidesQueries: whether values in the query of a URL, which may be secrets, are left out; `true`.
    ///   - log: gets a ``TransferRecord`` as text, without credentials.
    public init(hidesQueries: Bool = true, _ log: @escaping @Sendable (String) -> Void) {
        metrics = TransferMetricsInterceptor(hidesQueries: hidesQueries) { record in
            if record.ending != .cancelled { log(record.description) }
        }
    }

    public func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
        try await metrics.intercept(request, next: next)
    }
}

/// Passes a body on and reports at its end; when it is dropped before, as cancelled.
private final class RecordedBody: Sendable {
    private struct State {
        var record: TransferRecord
        var iterator: ByteStream.AsyncIterator?
        var isOver = false
    }

    private let state: Lock<State>
    private let began: Duration
    private let elapsed: @Sendable () -> Duration
    private let report: @Sendable (TransferRecord) -> Void

    init(
        _ record: TransferRecord, began: Duration, elapsed: @escaping @Sendable () -> Duration,
        report: @escaping @Sendable (TransferRecord) -> Void
    ) {
        state = Lock(State(record: record))
        self.began = began
        self.elapsed = elapsed
        self.report = report
    }

    deinit { end(.cancelled) }

    func begin(_ response: DataResponse) {
        state.withLock { state in
            state.record.status = response.head.status.code
            state.record.timing = response.timing
            state.iterator = response.body.makeAsyncIterator()
        }
    }

    func passed(_ count: Int) { state.withLock { $0.record.receivedBytes += count } }

    func next() async throws -> Data? {
        // One reader at a time, so that the iterator is never out when it is asked for.
        guard var iterator = state.withLock({ $0.iterator }) else { return nil }
        do {
            let chunk = try await iterator.next()
            let used = iterator
            state.withLock { state in
                state.iterator = used
                state.record.receivedBytes += chunk?.count ?? 0
            }
            if chunk == nil { end(.whole) }
            return chunk
        } catch {
            end(.of(error))
            throw error
        }
    }

    func end(_ ending: TransferRecord.Ending) {
        let record = state.withLock { state -> TransferRecord? in
            guard !state.isOver else { return nil }
            state.isOver = true
            state.iterator = nil
            return state.record
        }
        guard var record else { return }
        record.ending = ending
        record.total = elapsed() - began
        report(record)
    }
}

extension TransferRecord.Ending {
    fileprivate static func of(_ error: any Error) -> Self {
        error is CancellationError ? .cancelled : .failed((error as? ImageError)?.code)
    }
}
