import AsyncHTTPClient
import HTTPTypes
import ImageCore
import NIOCore
import NIOHTTP1

/// Loads `http` and `https` URLs through AsyncHTTPClient.
///
/// The client streams with back-pressure, closes what is cancelled or dropped, and forgets credentials on the way to another
/// origin. What is left to do here is to translate: requests, heads, errors; and to hold bodies to their limits in bytes
/// and time, which the client has for heads only.
final class AsyncHTTPClientLoader: DataLoading {
    private let client: HTTPClient

    init(_ change: (inout HTTPClient.Configuration) -> Void = { _ in }) {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .follow(max: 10, allowCycles: true)
        configuration.timeout.connect = .seconds(10)
        // Retrying is for the wiring around this layer, which knows for how long it is worth while.
        configuration.connectionPool.retryConnectionEstablishment = false
        change(&configuration)
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit {
        // The client insists on it, and waits for what still runs.
        let client = client
        Task { try? await client.shutdown() }
    }

    func load(_ request: DataRequest) async throws -> DataResponse {
        guard let scheme = request.url.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
            throw ImageError(.unsupportedScheme, message: "\(ImageSource.redacted(request.url)) is no web address.")
        }
        let deadline = ContinuousClock.now + request.timeout
        let errors = ErrorTranslation(request.url)
        let response: HTTPClientResponse
        do {
            response = try await client.execute(outgoing(request), deadline: .now() + TimeAmount(request.timeout))
        } catch {
            throw errors.imageError(for: error)
        }
        let head = head(of: response)
        // The client hands out a redirect that it does not follow, such as one to a file, as an answer.
        if head.status.kind == .redirection, head.status != .notModified, head.headerFields[.location] != nil {
            throw ImageError(
                .unsupportedScheme, message: "\(ImageSource.redacted(request.url)) was redirected to what is no web address.")
        }
        let reader = BodyReader(response.body, limit: request.maximumBytes, deadline: deadline, errors: errors)
        if let length = head.headerFields[.contentLength].flatMap({ Int($0) }), request.method != .head {
            try await reader.accept(length)
        }
        return DataResponse(url: response.url ?? request.url, head: head, body: ByteStream { try await reader.next() })
    }

    private func outgoing(_ request: DataRequest) -> HTTPClientRequest {
        var outgoing = HTTPClientRequest(url: request.url.absoluteString)
        outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headerFields { outgoing.headers.add(name: field.name.rawName, value: field.value) }
        if let body = request.body { outgoing.body = .bytes(body) }
        return outgoing
    }

    private func head(of response: HTTPClientResponse) -> HTTPResponse {
        var head = HTTPResponse(status: .init(code: Int(response.status.code), reasonPhrase: response.status.reasonPhrase))
        for (name, value) in response.headers {
            guard let name = HTTPField.Name(name) else { continue }
            head.headerFields.append(HTTPField(name: name, value: value))
        }
        return head
    }
}

/// Pulls a body from the client, one chunk at a time. Dropping it drops the body, and so ends the transfer.
private actor BodyReader {
    private var chunks: HTTPClientResponse.Body.AsyncIterator
    private let limit: Int?
    private let deadline: ContinuousClock.Instant
    private let errors: ErrorTranslation
    private var received = 0

    init(_ body: HTTPClientResponse.Body, limit: Int?, deadline: ContinuousClock.Instant, errors: ErrorTranslation) {
        chunks = body.makeAsyncIterator()
        (self.limit, self.deadline, self.errors) = (limit, deadline, errors)
    }

    /// Throws if a body of so many bytes is too large.
    func accept(_ bytes: Int) throws {
        if let limit, bytes > limit { throw errors.tooLarge(limit) }
    }

    func next() async throws -> Data? {
        do {
            guard let chunk = try await beforeTheDeadline({ try await self.pull() }) else {
                try Task.checkCancellation()
                return nil
            }
            received += chunk.count
            try accept(received)
            return chunk
        } catch {
            throw errors.imageError(for: error)
        }
    }

    private func pull() async throws -> Data? {
        var chunks = chunks
        defer { self.chunks = chunks }
        guard let buffer = try await chunks.next(isolation: self) else { return nil }
        return Data(buffer.readableBytesView)
    }

    /// A server that sends a byte now and then is never done.
    private func beforeTheDeadline(_ body: @escaping @Sendable () async throws -> Data?) async throws -> Data? {
        try await withThrowingTaskGroup(of: Data?.self) { group in
            group.addTask { try await body() }
            group.addTask { [deadline] in
                try await Task.sleep(until: deadline, clock: .continuous)
                throw HTTPClientError.deadlineExceeded
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
