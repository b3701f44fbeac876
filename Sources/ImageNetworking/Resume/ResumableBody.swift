internal import HTTPTypes
internal import ImageCore

/// Collects a body in a buffer while it passes it on, requests the rest when the transfer is interrupted, and gives the
/// received bytes to `onBreak` unless the end was reached.
final class ResumableBody: Sendable {
    private struct State {
        var reader: ByteStreamReader
        /// The stored bytes, until they are the first chunk.
        var start: Data?
        /// Whether the body consists of several responses.
        var isJoined: Bool
        var attemptsLeft: Int
        var isOver = false
    }

    /// The only copy of the bytes. The reader of the stream and the stored partial body share it.
    private let buffer = BodyBuffer()
    private let state: Lock<State>
    private let head: HTTPResponse
    /// In bytes.
    private let length: Int
    private let request: DataRequest
    private let loader: any DataLoading
    /// Longer bodies are not given to `onBreak`.
    private let maximumStoredBytes: Int
    private let onBreak: @Sendable (Data) -> Void

    /// - Parameters:
    ///   - start: the bytes before those of the response.
    ///   - onBreak: gets the bytes of a body that ended early.
    init(
        _ response: DataResponse, start: Data, request: DataRequest, loader: any DataLoading, maximumStoredBytes: Int,
        onBreak: @escaping @Sendable (Data) -> Void
    ) {
        state = Lock(
            State(
                reader: ByteStreamReader(response.body), start: start.isEmpty ? nil : start, isJoined: !start.isEmpty,
                attemptsLeft: response.retriesLeft ?? request.retries ?? RetryPolicy.default.maximumRetries))
        head = response.head
        length = PartialBody.length(in: head) ?? .max
        (self.request, self.loader, self.maximumStoredBytes, self.onBreak) = (request, loader, maximumStoredBytes, onBreak)
    }

    deinit { end(isStored: true) }

    /// The body, kept in the buffer.
    var stream: ByteStream { ByteStream(keptIn: buffer) { try await self.next() } }

    private func next() async throws -> Data? {
        if let start = state.withLock({ $0.start.take() }) { return try append(start) }
        while true {
            do {
                let chunk = try await state.withLock { $0.reader }.next()
                if let chunk { _ = try append(chunk) }
                let isJoined = state.withLock { $0.isJoined }
                // Loaders check Content-Length, which the response with the rest need not have.
                let count = buffer.count
                if isJoined, chunk == nil ? count != length : count > length { throw lengthError(count) }
                if chunk == nil { end(isStored: false) }
                return chunk
            } catch {
                let error = request.replacingTimeoutAtDeadline(error)
                guard let rest = try await self.rest(after: error) else {
                    // A body over the limit would be over it again.
                    end(isStored: (error as? ImageError)?.code != .tooLarge)
                    throw error
                }
                state.withLock { ($0.reader, $0.isJoined) = (rest, true) }
            }
        }
    }

    private func append(_ chunk: Data) throws(ImageError) -> Data {
        guard buffer.append(chunk, expected: length) != nil else {
            throw .outOfMemory(ImageSource.redacted(request.url), received: buffer.count)
        }
        return chunk
    }

    /// The error for a body of several responses with another length than announced. A body that is too long is not
    /// stored.
    private func lengthError(_ count: Int) -> ImageError {
        let source = ImageSource.redacted(request.url)
        guard count > length else {
            return ImageError(.connectionLost, message: "The range response for \(source) ended \(length - count) bytes early.")
        }
        end(isStored: false)
        return ImageError(
            .badResponse, message: "The range response for \(source) exceeds the announced length of \(length) bytes.")
    }

    /// The rest of the body from another response; `nil` when there is none.
    private func rest(after error: any Error) async throws -> ByteStreamReader? {
        guard let broken = error as? ImageError, Self.codes.contains(broken.code), !Task.isCancelled,
            request.standsIn?(broken) != true
        else { return nil }
        let attemptsLeft = state.withLock { state in
            state.attemptsLeft -= 1
            return state.attemptsLeft
        }
        guard attemptsLeft >= 0 else { return nil }
        let point = ResumePoint(head: head, count: buffer.count)
        var ranged = request
        ranged.retries = attemptsLeft
        for (name, value) in point.requestFields { ranged.headerFields[name] = value }
        do {
            _ = try request.timeUntilDeadline()
            buffer.retries += 1
            let response = try await loader.load(ranged)
            buffer.retries += response.retries
            if let left = response.retriesLeft { state.withLock { $0.attemptsLeft = left } }
            guard point.classify(response.head) == .rest else { return nil }
            return ByteStreamReader(response.body)
        } catch is CancellationError {
            end(isStored: true)
            throw CancellationError()
        } catch {
            // The reader gets the error that interrupted the body, unless the deadline leaves no time for the rest.
            guard var error = request.replacingTimeoutAtDeadline(error) as? ImageError, error.code == .deadlineExceeded else {
                return nil
            }
            end(isStored: true)
            error.causes.insert("\(broken)", at: 0)
            throw error
        }
    }

    private func end(isStored: Bool) {
        let (isFirst, start) = state.withLock { state in
            defer { state.isOver = true }
            return (!state.isOver, state.start)
        }
        guard isFirst, isStored, buffer.count <= maximumStoredBytes else { return }
        onBreak(start ?? buffer.data)
    }

    /// Failures after which another connection may bring the rest.
    private static let codes: Set<ImageError.Code> = [.connectionLost, .timedOut, .connectionFailed]
}
