internal import HTTPTypes
internal import ImageCore

/// Passes a body on, requests the rest when its transfer is interrupted, and gives the received bytes to `onBreak` unless the end was
/// reached.
final class ResumableBody: Sendable {
    fileprivate struct State {
        var reader: ByteStreamReader
        var start: Data
        /// The chunks so far; empty when they are too long to be stored.
        var passed: [Data] = []
        var count = 0
        /// Bytes that came over the current connection.
        var fresh = 0
        var isKept = true
        /// Whether the body consists of several responses.
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
    private let mayResume: @Sendable (Int) -> Bool
    private let onBreak: @Sendable (Data) -> Void

    /// - Parameters:
    ///   - mayResume: whether another connection may follow one over which this number of bytes came.
    ///   - onBreak: gets the bytes of a body that ended early, as far as they are known.
    init(
        _ response: DataResponse, start: Data, request: DataRequest, loader: any DataLoading, keptBytes: Int,
        mayResume: @escaping @Sendable (Int) -> Bool, onBreak: @escaping @Sendable (Data) -> Void
    ) {
        let attempts = response.retriesLeft.map(Int.init) ?? request.retries ?? RetryPolicy.default.maximumRetries
        state = Lock(
            State(
                reader: ByteStreamReader(response.body), start: start, isJoined: !start.isEmpty, attemptsLeft: attempts))
        head = response.head
        length = PartialBody.length(in: head) ?? .max
        self.request = request
        self.loader = loader
        self.keptBytes = keptBytes
        self.mayResume = mayResume
        self.onBreak = onBreak
    }

    deinit { end(isWhole: false) }

    func next() async throws -> Data? {
        if let start = state.withLock({ $0.takeStart() }) { return start }
        while true {
            do {
                let chunk = try await state.withLock { $0.reader }.next()
                let (count, isJoined) = state.withLock { state in
                    if let chunk { state.keep(chunk, upTo: keptBytes) }
                    return (state.count, state.isJoined)
                }
                // Loaders check Content-Length, which the response with the rest need not have.
                if isJoined, chunk == nil ? count != length : count > length { throw lengthError(count) }
                if chunk == nil { end(isWhole: true) }
                return chunk
            } catch {
                let error = request.replacingTimeoutAtDeadline(error)
                guard let rest = try await self.rest(after: error) else {
                    // A body over the limit would be over it again.
                    end(isWhole: (error as? ImageError)?.code == .tooLarge)
                    throw error
                }
                state.withLock { ($0.reader, $0.isJoined) = (rest, true) }
            }
        }
    }

    /// The error for a body of several responses with another length than announced. A body that is too long is not stored.
    private func lengthError(_ count: Int) -> ImageError {
        let source = ImageSource.redacted(request.url)
        guard count > length else {
            return ImageError(.connectionLost, message: "The range response for \(source) ended \(length - count) bytes early.")
        }
        end(isWhole: true)
        return ImageError(
            .badResponse, message: "The range response for \(source) exceeds the announced length of \(length) bytes.")
    }

    /// The rest of the body from another response; `nil` when there is none.
    private func rest(after error: any Error) async throws -> ByteStreamReader? {
        guard let broken = error as? ImageError, Self.codes.contains(broken.code), !Task.isCancelled else { return nil }
        let passed = state.withLock { state -> (count: Int, fresh: Int, attemptsLeft: Int)? in
            guard state.attemptsLeft > 0 else { return nil }
            state.attemptsLeft -= 1
            defer { state.fresh = 0 }
            return (state.count, state.fresh, state.attemptsLeft)
        }
        guard let (count, fresh, attemptsLeft) = passed, mayResume(fresh) else { return nil }
        let point = ResumePoint(head: head, count: count)
        var ranged = request
        ranged.retries = attemptsLeft
        for (name, value) in point.requestFields { ranged.headerFields[name] = value }
        do {
            _ = try request.timeUntilDeadline()
            let response = try await loader.load(ranged)
            if let left = response.retriesLeft { state.withLock { $0.attemptsLeft = Int(left) } }
            guard point.classify(response.head) == .rest else { return nil }
            return ByteStreamReader(response.body)
        } catch is CancellationError {
            end(isWhole: false)
            throw CancellationError()
        } catch {
            // The reader gets the error that interrupted the body, unless the deadline leaves no time for the rest.
            guard var error = request.replacingTimeoutAtDeadline(error) as? ImageError, error.code == .deadlineExceeded else {
                return nil
            }
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

    /// Failures after which another connection may bring the rest.
    private static let codes: Set<ImageError.Code> = [.connectionLost, .timedOut, .connectionFailed]
}

extension ResumableBody.State {
    /// The stored bytes, as the first chunk.
    fileprivate mutating func takeStart() -> Data? {
        guard !start.isEmpty else { return nil }
        (passed, count) = ([start], start.count)
        defer { start = Data() }
        return start
    }

    fileprivate mutating func keep(_ chunk: Data, upTo limit: Int) {
        count += chunk.count
        fresh += chunk.count
        if count > limit { (passed, isKept) = ([], false) }
        if isKept { passed.append(chunk) }
    }
}
