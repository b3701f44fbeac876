internal import HTTPTypes
internal import ImageCore

/// Passes a body on, asks for the rest where it breaks off, and gives what passed to `onBreak` unless the end was reached.
final class ResumableBody: Sendable {
    fileprivate struct State {
        var iterator: ByteStream.AsyncIterator?
        var start: Data
        /// What passed, as long as it is little enough to be kept.
        var passed: [Data] = []
        var count = 0
        /// What came over the connection that there is.
        var fresh = 0
        var isKept = true
        /// Whether it was put together from several answers.
        var isJoined: Bool
        var attemptsLeft: Int
        var isOver = false
    }

    private let state: Lock<State>
    private let head: HTTPResponse
    /// In bytes.
    private let length: Int
    private let request: DataRequest
    private let loader: any DataLoading
    private let keptBytes: Int
    private let mayGoOn: @Sendable (Int) -> Bool
    private let onBreak: @Sendable (Data) -> Void

    /// - Parameter mayGoOn: whether another connection may follow one over which so many bytes came.
    init(
        _ body: ByteStream, head: HTTPResponse, start: Data, request: DataRequest, loader: any DataLoading, keptBytes: Int,
        mayGoOn: @escaping @Sendable (Int) -> Bool, onBreak: @escaping @Sendable (Data) -> Void
    ) {
        let attempts = request.retries ?? RetryPolicy.default.maximumRetries
        state = Lock(State(iterator: body.makeAsyncIterator(), start: start, isJoined: !start.isEmpty, attemptsLeft: attempts))
        self.head = head
        length = PartialBody.length(in: head) ?? .max
        self.request = request
        self.loader = loader
        self.keptBytes = keptBytes
        self.mayGoOn = mayGoOn
        self.onBreak = onBreak
    }

    deinit { end(isWhole: false) }

    func next() async throws -> Data? {
        if let start = state.withLock({ $0.takeStart() }) { return start }
        while true {
            // One reader at a time, so that the iterator is never out when it is asked for.
            guard var iterator = state.withLock({ $0.takeIterator() }) else { return nil }
            do {
                let chunk = try await iterator.next()
                let used = iterator
                let (count, isJoined) = state.withLock { state in
                    state.iterator = used
                    if let chunk { state.keep(chunk, upTo: keptBytes) }
                    return (state.count, state.isJoined)
                }
                // What loaders check by Content-Length a rest need not announce.
                if isJoined, chunk == nil ? count != length : count > length { throw misfit(count) }
                if chunk == nil { end(isWhole: true) }
                return chunk
            } catch {
                let error = request.namingDeadline(error)
                guard let rest = try await self.rest(after: error) else {
                    // A body over the limit would be over it again.
                    end(isWhole: (error as? ImageError)?.code == .tooLarge)
                    throw error
                }
                state.withLock { ($0.iterator, $0.isJoined) = (rest, true) }
            }
        }
    }

    /// Why a body that was put together is not the one that was announced. One that is too long is no beginning to go on with.
    private func misfit(_ count: Int) -> ImageError {
        let source = ImageSource.redacted(request.url)
        guard count > length else {
            return ImageError(.connectionLost, message: "The rest of \(source) ended \(length - count) bytes early.")
        }
        end(isWhole: true)
        return ImageError(.badResponse, message: "The rest of \(source) goes on beyond the \(length) bytes of the whole.")
    }

    /// The body that goes on where this one broke off; `nil` when none does.
    private func rest(after error: any Error) async throws -> ByteStream.AsyncIterator? {
        guard let broken = error as? ImageError, Self.codes.contains(broken.code), !Task.isCancelled else { return nil }
        let passed = state.withLock { state -> (count: Int, fresh: Int)? in
            guard state.attemptsLeft > 0 else { return nil }
            state.attemptsLeft -= 1
            defer { state.fresh = 0 }
            return (state.count, state.fresh)
        }
        guard let (count, fresh) = passed, mayGoOn(fresh) else { return nil }
        let point = ResumePoint(head: head, count: count)
        var ranged = request
        for (name, value) in point.requestFields { ranged.headerFields[name] = value }
        do {
            _ = try request.timeUntilDeadline()
            let response = try await loader.load(ranged)
            guard point.classify(response.head) == .rest else { return nil }
            return response.body.makeAsyncIterator()
        } catch is CancellationError {
            end(isWhole: false)
            throw CancellationError()
        } catch {
            // The reader sees why its body broke off, unless the deadline leaves no time for the rest.
            guard var error = request.namingDeadline(error) as? ImageError, error.code == .deadlineExceeded else { return nil }
            end(isWhole: false)
            error.causes.insert("\(broken)", at: 0)
            throw error
        }
    }

    private func end(isWhole: Bool) {
        let passed = state.withLock { state -> [Data] in
            guard !state.isOver else { return [] }
            state.isOver = true
            defer { state.passed = [] }
            return isWhole || !state.isKept ? [] : [state.start] + state.passed
        }
        guard !passed.isEmpty else { return }
        var bytes = Data(capacity: passed.reduce(0) { $0 + $1.count })
        for chunk in passed { bytes.append(chunk) }
        onBreak(bytes)
    }

    /// Failures after which the rest may be there for the asking.
    private static let codes: Set<ImageError.Code> = [.connectionLost, .timedOut, .connectionFailed]
}

extension ResumableBody.State {
    /// What was there before, as the first chunk.
    fileprivate mutating func takeStart() -> Data? {
        guard !start.isEmpty else { return nil }
        (passed, count) = ([start], start.count)
        defer { start = Data() }
        return start
    }

    fileprivate mutating func takeIterator() -> ByteStream.AsyncIterator? {
        defer { iterator = nil }
        return iterator
    }

    fileprivate mutating func keep(_ chunk: Data, upTo limit: Int) {
        count += chunk.count
        fresh += chunk.count
        if count > limit { (passed, isKept) = ([], false) }
        if isKept { passed.append(chunk) }
    }
}
