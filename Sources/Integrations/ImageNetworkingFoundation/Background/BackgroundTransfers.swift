internal import Foundation
internal import HTTPTypes
internal import ImageCore

/// A session that runs downloads, also without the process, and reports their results to ``BackgroundTransfers``.
protocol BackgroundDownloading: Sendable {
    /// Makes a download that has the key and does not run yet.
    func download(_ request: DataRequest, key: String) -> any BackgroundDownload
    /// The downloads of earlier launches that still run, with the bytes received so far.
    func running() async -> [(key: String, download: any BackgroundDownload, received: Int)]
}

/// One download.
protocol BackgroundDownload: Sendable {
    /// Identifies the download in its session.
    var number: Int { get }
    func resume()
    func cancel()
}

/// Loads requests by transfers that run without the process. A finished body goes to the loads that wait for it, or
/// else into a cache, for the next load.
final class BackgroundTransfers: Sendable {
    private typealias Waiter = AsyncThrowingStream<FinishedDownload, any Error>.Continuation

    private struct State {
        var table = BackgroundTable()
        var waiters: [Int: Waiter] = [:]
        var downloads: [Int: any BackgroundDownload] = [:]
        var lastWaiter = 0
        var session: (any BackgroundDownloading)?
        /// The loads that wait until the transfers of an earlier launch are known; `nil` when they are.
        var early: [AsyncThrowingStream<Void, any Error>.Continuation]? = []
        /// The last store in the cache; each waits for the one before.
        var storing: Task<Void, Never>?

        mutating func take(_ waiters: [Int]) -> [Waiter] {
            waiters.compactMap { self.waiters.removeValue(forKey: $0) }
        }
    }

    /// Keeps the finished bodies for which no load waits.
    private let store: any DataCaching
    /// The largest body where the request sets no limit, in bytes.
    private let limit: Int
    /// Seconds since 1970.
    private let now: @Sendable () -> Double
    private let state = Lock(State())

    /// The completions to call when the system has delivered all reports.
    let events = BackgroundEvents()

    init(
        _ store: any DataCaching, limit: Int = ResponseLimit.standard,
        now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
    ) {
        (self.store, self.limit, self.now) = (store, limit, now)
    }

    /// Starts to use a session, which may have reported results already.
    func open(_ session: any BackgroundDownloading) {
        state.withLock { $0.session = session }
        Task { [weak self] in
            let found = await session.running()
            self?.restore(found)
        }
    }

    private func restore(_ found: [(key: String, download: any BackgroundDownload, received: Int)]) {
        let downloads = Dictionary(found.map { ($0.download.number, $0.download) }) { first, _ in first }
        let list = found.map { (key: $0.key, number: $0.download.number, received: $0.received) }
        let (surplus, early) = state.withLock { state in
            defer { state.early = nil }
            let surplus = state.table.restore(list, limit: limit)
            for transfer in state.table.running.values where state.downloads[transfer.number] == nil {
                state.downloads[transfer.number] = downloads[transfer.number]
            }
            return (surplus, state.early ?? [])
        }
        for number in surplus { downloads[number]?.cancel() }
        for waiter in early { waiter.yield() }
    }

    /// Returns when the transfers of earlier launches are known.
    func restored(_ limit: TimeLimit) async throws {
        let (results, waiter) = AsyncThrowingStream<Void, any Error>.makeStream()
        let isKnown = state.withLock { state in
            state.early?.append(waiter)
            return state.early == nil
        }
        if !isKnown { try await first(of: results, waiter, limit) { _ in } }
    }

    /// The number of waiting loads.
    var waiting: Int { state.withLock { $0.waiters.count } }

    // MARK: Requests

    /// The response when it is complete; `nil` for a request that the foreground session must send.
    ///
    /// - Throws: `CancellationError`; the ``ImageError`` of a transfer that failed.
    func response(to request: DataRequest) async throws -> DataResponse? {
        guard BackgroundRule.mayBeAnswered(request), let key = BackgroundRule.key(of: request) else { return nil }
        let mayBegin = BackgroundRule.mayBegin(request)
        let mayWait = !request.cachePolicy.isOnlyIfCached
        let source = ImageSource.redacted(request.url)
        let time = try TimeLimit(request)
        // Otherwise a transfer of an earlier launch would be started again.
        if mayBegin { try await restored(time) }
        let limit = request.maximumResponseBytes ?? limit
        let (results, waiter) = AsyncThrowingStream<FinishedDownload, any Error>.makeStream()
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        if mayWait, join(key, id, waiter, limit: limit, isPatient: mayBegin) {
            return try await response(from: results, waiter, id, key, time, source: source, limit: limit)
        }
        // After the check for a running transfer: one that ends in between has begun to store its body.
        if let stored = await takeStored(key, limit: limit) { return stored.response }
        guard mayBegin, begin(request, key, id, waiter, limit: limit) else { return nil }
        return try await response(from: results, waiter, id, key, time, source: source, limit: limit)
    }

    /// Whether the waiter has joined a transfer.
    private func join(_ key: String, _ id: Int, _ waiter: Waiter, limit: Int, isPatient: Bool) -> Bool {
        let (isJoined, unwanted) = state.withLock { state -> (Bool, (any BackgroundDownload)?) in
            switch state.table.joinRunning(key, waiter: id, limit: limit, isPatient: isPatient) {
            case .none: return (false, nil)
            case .overtakes(let number): return (false, number.flatMap { state.downloads.removeValue(forKey: $0) })
            case .joined:
                state.waiters[id] = waiter
                return (true, nil)
            }
        }
        unwanted?.cancel()
        return isJoined
    }

    /// Starts a transfer; `false` where there is no session.
    private func begin(_ request: DataRequest, _ key: String, _ id: Int, _ waiter: Waiter, limit: Int) -> Bool {
        guard let session = state.withLock({ $0.session }) else { return false }
        let download = session.download(request, key: key)
        let isFirst = state.withLock { state in
            state.waiters[id] = waiter
            let isFirst = state.table.begin(key, number: download.number, waiter: id, limit: limit)
            if isFirst { state.downloads[download.number] = download }
            return isFirst
        }
        if isFirst { download.resume() } else { download.cancel() }
        return true
    }

    private func response(
        from results: AsyncThrowingStream<FinishedDownload, any Error>, _ waiter: Waiter, _ id: Int, _ key: String,
        _ time: TimeLimit, source: String, limit: Int
    ) async throws -> DataResponse {
        let finished = try await first(of: results, waiter, time) { [self] isTimeUp in leave(key, id, isTimeUp: isTimeUp) }
        guard finished.body.count <= limit else { throw ImageError.tooLarge(source, announced: nil, limit: limit) }
        return finished.response
    }

    /// How long a load waits.
    struct TimeLimit: Sendable {
        let limit: AttemptLimit
        let end: ContinuousClock.Instant

        init(_ request: DataRequest) throws(ImageError) {
            limit = try AttemptLimit(request)
            end = .now + limit.duration.clampedToClockRange
        }
    }

    /// The first result of a waiter.
    ///
    /// - Parameter leave: called when the time limit or cancellation ends the wait.
    private func first<Value: Sendable>(
        of results: AsyncThrowingStream<Value, any Error>, _ waiter: AsyncThrowingStream<Value, any Error>.Continuation,
        _ time: TimeLimit, _ leave: @escaping @Sendable (_ isTimeUp: Bool) -> Void
    ) async throws -> Value {
        let timer = Task {
            try await Task.sleep(until: time.end)
            leave(true)
            waiter.finish(throwing: time.limit.error)
        }
        defer { timer.cancel() }
        for try await result in results { return result }
        // The stream ends without a result only when the task is cancelled.
        leave(false)
        throw CancellationError()
    }

    private func leave(_ key: String, _ id: Int, isTimeUp: Bool) {
        let unwanted = state.withLock { state -> (any BackgroundDownload)? in
            state.waiters[id] = nil
            return state.table.leave(key, waiter: id, isTimeUp: isTimeUp).flatMap { state.downloads.removeValue(forKey: $0) }
        }
        unwanted?.cancel()
    }

    // MARK: What the session reports

    /// Bytes were received.
    ///
    /// - Parameter announced: the length of the body, if the response announces it.
    func received(_ count: Int, announced: Int?, _ key: String, number: Int, source: String) {
        let (refused, unwanted) = state.withLock { state -> ([Waiter], (any BackgroundDownload)?) in
            let (refusals, isOver) = state.table.received(count, announced: announced, key, number: number)
            return (state.take(refusals), isOver ? state.downloads.removeValue(forKey: number) : nil)
        }
        unwanted?.cancel()
        for waiter in refused {
            waiter.finish(
                throwing: ImageError(
                    .tooLarge, message: "The response to \(source) exceeds the limit. Raise maximumResponseBytes to load it."))
        }
    }

    /// The body is complete, in a file that the session removes when this returns.
    func finished(_ key: String, number: Int, at location: String, _ head: SessionTransfer.Head, source: String) {
        // The mapped bytes remain when the file is removed.
        guard let body = try? Data(contentsOf: URL(filePath: location), options: .alwaysMapped) else {
            return failed(
                key, number: number, ImageError(.connectionLost, message: "The file that \(source) was downloaded to is missing.")
            )
        }
        let fields = head.response.headerFields
        if fields[.contentEncoding] == nil, let expected = fields[.contentLength].flatMap({ Int($0) }), body.count < expected {
            return failed(key, number: number, .incomplete(source, received: body.count))
        }
        let isWanted = state.withLock { $0.table.wants(body.count, key, number: number, limit: limit) }
        let finished = FinishedDownload(head, body: body)
        end(key, number, .success(finished), mayBeKept: isWanted && BackgroundRule.mayBeKept(head.response))
    }

    /// The transfer failed.
    func failed(_ key: String, number: Int, _ error: ImageError) { end(key, number, .failure(error)) }

    /// - Parameter mayBeKept: whether to store the body if no load waits. A failure to store it costs the next load a
    ///   transfer.
    private func end(_ key: String, _ number: Int, _ result: Result<FinishedDownload, any Error>, mayBeKept: Bool = false) {
        let waiters = state.withLock { state in
            state.downloads[number] = nil
            let waiters = state.take(state.table.end(key, number: number))
            if waiters.isEmpty, mayBeKept, let finished = try? result.get() {
                state.storing = Task { [store, now, before = state.storing] in
                    await before?.value
                    try? await store.store(finished.entry(now: now()), for: FinishedDownload.dataKey(key))
                }
            }
            return waiters
        }
        for waiter in waiters { waiter.yield(with: result) }
    }

    /// Takes a body out of the store; one that is larger than this load accepts stays for others.
    private func takeStored(_ key: String, limit: Int) async -> FinishedDownload? {
        await state.withLock { $0.storing }?.value
        let name = FinishedDownload.dataKey(key)
        guard let entry = try? await store.entry(for: name), entry.data.count <= limit else { return nil }
        try? await store.removeEntry(for: name)
        return FinishedDownload(entry, now: now())
    }

    /// Returns when all finished bodies are stored, durably.
    func flush() async {
        await state.withLock { $0.storing }?.value
        try? await store.flush()
    }
}
