internal import Foundation
internal import HTTPTypes
internal import ImageCore

/// A session that runs downloads, also without the process, and reports their results to ``BackgroundTransfers``.
protocol BackgroundDownloading: Sendable {
    /// Makes a download that has the key and does not run yet.
    func download(_ request: DataRequest, key: String) -> any BackgroundDownload
    /// The downloads of earlier launches that still run.
    func running() async -> [(key: String, download: any BackgroundDownload)]
}

/// One download.
protocol BackgroundDownload: Sendable {
    /// Identifies the download in its session.
    var number: Int { get }
    func resume()
    func cancel()
}

/// Loads prefetches by transfers that run without the process. A finished body goes to the prefetches that wait for
/// it, or else into a cache, for the next load.
///
/// A transfer has the key of its request, and the number that the session gives it: a report for a number that is no
/// longer the key's ends no waiter.
final class BackgroundTransfers: Sendable {
    /// A prefetch that waits for a transfer.
    private struct Waiter {
        let results: AsyncThrowingStream<FinishedDownload, any Error>.Continuation
        /// Ends the wait when the transfer makes no progress.
        let timer: AttemptTimer
    }

    private struct Transfer {
        let download: any BackgroundDownload
        /// The largest of the waiters' limits, in bytes; the standard limit for a transfer of an earlier launch.
        var limit: Int
        var waiters: [UUID: Waiter] = [:]
    }

    private struct State {
        /// The transfers that run, by key.
        var running: [String: Transfer] = [:]
        /// Numbers that were cancelled and may still succeed, or that ended before `session` was set.
        var over: Set<Int> = []
        /// Set when the transfers of earlier launches are known.
        var session: (any BackgroundDownloading)?
        /// The prefetches that wait for the session.
        var early: [AsyncThrowingStream<any BackgroundDownloading, any Error>.Continuation] = []
        /// The last store in the cache; each waits for the one before.
        var storing: Task<Void, Never>?

        /// Whether the transfer runs, which the waiter then has joined.
        mutating func join(_ key: String, _ id: UUID, _ waiter: Waiter, limit: Int) -> Bool {
            guard var transfer = running[key] else { return false }
            transfer.limit = max(transfer.limit, limit)
            transfer.waiters[id] = waiter
            running[key] = transfer
            return true
        }

        /// Removes a transfer that is to be cancelled.
        mutating func drop(_ key: String) -> Transfer? {
            guard let transfer = running.removeValue(forKey: key) else { return nil }
            over.insert(transfer.download.number)
            return transfer
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
        Task { restore(await session.running(), session) }
    }

    /// Adds the transfers of earlier launches, and cancels those that have the key of another.
    private func restore(
        _ found: [(key: String, download: any BackgroundDownload)], _ session: any BackgroundDownloading
    ) {
        let (surplus, early) = state.withLock { state in
            var surplus: [any BackgroundDownload] = []
            // A transfer may have ended since the list was made.
            for (key, download) in found where !state.over.contains(download.number) {
                if state.running[key] == nil {
                    state.running[key] = Transfer(download: download, limit: limit)
                } else {
                    state.over.insert(download.number)
                    surplus.append(download)
                }
            }
            defer { state.early = [] }
            state.session = session
            return (surplus, state.early)
        }
        for download in surplus { download.cancel() }
        for waiter in early { waiter.yield(session) }
    }

    /// The session, when the transfers of earlier launches are known: otherwise one of them would be started again.
    func session() async throws -> any BackgroundDownloading {
        let (sessions, waiter) = AsyncThrowingStream<any BackgroundDownloading, any Error>.makeStream()
        state.withLock { state in
            if let session = state.session { waiter.yield(session) } else { state.early.append(waiter) }
        }
        return try await sessions.firstElement()
    }

    /// The number of waiting loads.
    var waiting: Int { state.withLock { $0.running.values.reduce(0) { $0 + $1.waiters.count } } }

    // MARK: Requests

    /// The response when it is complete; `nil` for a request that the foreground session must send. Only a prefetch
    /// waits for a transfer; another load gets a stored body.
    ///
    /// - Throws: `CancellationError`; the ``ImageError`` of a transfer that failed.
    func response(to request: DataRequest) async throws -> DataResponse? {
        guard BackgroundRule.mayBeAnswered(request), let key = BackgroundRule.key(of: request) else { return nil }
        let limit = request.maximumResponseBytes ?? limit
        guard BackgroundRule.mayBegin(request) else { return await takeStored(key, limit: limit)?.response }
        let timer = try AttemptTimer(request)
        let id = UUID()
        var isTimeUp = false
        defer { leave(key, id, isTimeUp: isTimeUp) }
        let result = try await timer.value { [self] in try await fetch(request, key, id, timer, limit: limit) }
        guard case .success(let finished) = result else {
            isTimeUp = true
            return try result.get().response
        }
        guard finished.body.count <= limit else {
            throw ImageError.tooLarge(ImageSource.redacted(request.url), announced: nil, limit: limit)
        }
        return finished.response
    }

    /// Waits for a running transfer, takes a stored body, or else starts a transfer.
    private func fetch(_ request: DataRequest, _ key: String, _ id: UUID, _ timer: AttemptTimer, limit: Int) async throws
        -> FinishedDownload
    {
        let session = try await session()
        let (results, continuation) = AsyncThrowingStream<FinishedDownload, any Error>.makeStream()
        let waiter = Waiter(results: continuation, timer: timer)
        if !state.withLock({ $0.join(key, id, waiter, limit: limit) }) {
            // After the check for a running transfer: one that ends in between has begun to store its body.
            if let stored = await takeStored(key, limit: limit) { return stored }
            // Made under the lock, because a second transfer with the key must not be made meanwhile.
            let begun = state.withLock { state -> (any BackgroundDownload)? in
                guard !state.join(key, id, waiter, limit: limit) else { return nil }
                let download = session.download(request, key: key)
                state.running[key] = Transfer(download: download, limit: limit, waiters: [id: waiter])
                return download
            }
            begun?.resume()
        }
        return try await results.firstElement()
    }

    /// A load waits no longer. The last one cancels the transfer, unless its time was up: then a later load may use the
    /// bytes.
    private func leave(_ key: String, _ id: UUID, isTimeUp: Bool) {
        let unwanted = state.withLock { state -> Transfer? in
            guard state.running[key]?.waiters.removeValue(forKey: id) != nil else { return nil }
            return !isTimeUp && state.running[key]?.waiters.isEmpty == true ? state.drop(key) : nil
        }
        unwanted?.download.cancel()
    }

    // MARK: What the session reports

    /// Bytes were received.
    ///
    /// - Parameter announced: the length of the body, if the response announces it.
    func received(_ count: Int, announced: Int?, _ key: String, number: Int, source: String) {
        let refused = state.withLock { state -> Transfer? in
            guard let transfer = state.running[key], transfer.download.number == number else { return nil }
            for waiter in transfer.waiters.values { waiter.timer.noteProgress() }
            return max(count, announced ?? 0) > transfer.limit ? state.drop(key) : nil
        }
        guard let refused else { return }
        refused.download.cancel()
        let error = ImageError.tooLarge(source, announced: announced, limit: refused.limit)
        for waiter in refused.waiters.values { waiter.results.finish(throwing: error) }
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
        end(key, number, .success(FinishedDownload(head, body: body)))
    }

    /// The transfer failed.
    func failed(_ key: String, number: Int, _ error: ImageError) { end(key, number, .failure(error)) }

    /// Passes the result to the waiters. Without one, stores the body unless the transfer was cancelled; a failure to
    /// store it costs the next load a transfer.
    private func end(_ key: String, _ number: Int, _ result: Result<FinishedDownload, any Error>) {
        let waiters = state.withLock { state -> [Waiter] in
            let wasCancelled = state.over.remove(number) != nil
            if state.session == nil { state.over.insert(number) }
            let isRunning = state.running[key]?.download.number == number
            let transfer = isRunning ? state.running.removeValue(forKey: key) : nil
            if let transfer, !transfer.waiters.isEmpty { return Array(transfer.waiters.values) }
            if !wasCancelled, let finished = try? result.get(), finished.body.count <= transfer?.limit ?? limit,
                BackgroundRule.mayBeKept(finished.head.response)
            {
                state.storing = Task { [store, now, before = state.storing] in
                    await before?.value
                    try? await store.store(finished.entry(now: now()), for: FinishedDownload.dataKey(key))
                }
            }
            return []
        }
        for waiter in waiters { waiter.results.yield(with: result) }
    }

    // MARK: Stored bodies

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

extension AsyncThrowingStream where Failure == any Error {
    /// - Throws: the error that ends the stream; `CancellationError`.
    fileprivate func firstElement() async throws -> Element {
        for try await element in self { return element }
        // The stream ends without an element only when the task is cancelled.
        throw CancellationError()
    }
}
