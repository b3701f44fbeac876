import AsyncHTTPClient
import HTTPTypes
import ImageCore
import NIOCore
import NIOHTTP1

/// Loads `http` and `https` URLs through AsyncHTTPClient.
///
/// The client streams with back-pressure, closes the connection of a cancelled or dropped response, and removes
/// credentials when a redirect leads to another origin. The loader translates requests, responses and errors, and
/// limits the size of bodies and their silence: the client's deadline ends with the response headers.
final class AsyncHTTPClientLoader: DataLoading {
    private let client: HTTPClient

    /// - Parameter change: changes the configuration of the client.
    init(_ change: (inout HTTPClient.Configuration) -> Void = { _ in }) {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .follow(max: 10, allowCycles: true)
        configuration.timeout.connect = .seconds(10)
        // The loaders around this one retry failed requests.
        configuration.connectionPool.retryConnectionEstablishment = false
        change(&configuration)
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit {
        // The client must be shut down, and waits for its running requests.
        let client = client
        Task { try? await client.shutdown() }
    }

    func load(_ request: DataRequest) async throws -> DataResponse {
        guard let scheme = request.url.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
            throw ImageError(
                .unsupportedScheme, message: "\(ImageSource.redacted(request.url)) is not an HTTP URL. Use http or https.")
        }
        let errors = ErrorTranslation(request.url)
        let response: HTTPClientResponse
        do {
            response = try await client.execute(outgoing(request), deadline: .now() + TimeAmount(request.timeout))
        } catch {
            throw errors.imageError(for: error)
        }
        let httpResponse = httpResponse(from: response)
        // The client returns a redirect that it does not follow, for example to a file, as the response.
        if httpResponse.status.kind == .redirection, httpResponse.status != .notModified,
            httpResponse.headerFields[.location] != nil
        {
            throw ImageError(
                .unsupportedScheme, message: "\(ImageSource.redacted(request.url)) redirects to a URL that is not HTTP.")
        }
        let reader = BodyReader(response.body, limit: request.maximumResponseBytes, timeout: request.timeout, errors: errors)
        if let length = httpResponse.headerFields[.contentLength].flatMap({ Int($0) }), request.method != .head {
            try await reader.checkLimit(length)
        }
        return DataResponse(url: response.url ?? request.url, head: httpResponse, body: ByteStream { try await reader.next() })
    }

    private func outgoing(_ request: DataRequest) -> HTTPClientRequest {
        var outgoing = HTTPClientRequest(url: request.url.absoluteString)
        outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headerFields { outgoing.headers.add(name: field.name.rawName, value: field.value) }
        if let body = request.body { outgoing.body = .bytes(body) }
        return outgoing
    }

    private func httpResponse(from response: HTTPClientResponse) -> HTTPResponse {
        var result = HTTPResponse(status: .init(code: Int(response.status.code), reasonPhrase: response.status.reasonPhrase))
        for (name, value) in response.headers {
            guard let name = HTTPField.Name(name) else { continue }
            result.headerFields.append(HTTPField(name: name, value: value))
        }
        return result
    }
}

/// Reads a body from the client, one chunk at a time. Releasing the reader ends the transfer.
private actor BodyReader {
    private var chunks: HTTPClientResponse.Body.AsyncIterator
    private let limit: Int?
    /// The longest wait for the next bytes.
    private let timeout: Duration
    private let errors: ErrorTranslation
    private var received = 0

    init(_ body: HTTPClientResponse.Body, limit: Int?, timeout: Duration, errors: ErrorTranslation) {
        chunks = body.makeAsyncIterator()
        (self.limit, self.timeout, self.errors) = (limit, timeout, errors)
    }

    /// Throws if `bytes` exceeds the limit.
    func checkLimit(_ bytes: Int) throws {
        if let limit, bytes > limit { throw errors.tooLarge(limit) }
    }

    func next() async throws -> Data? {
        do {
            guard let chunk = try await withTimeout({ try await self.pull() }) else {
                try Task.checkCancellation()
                return nil
            }
            received += chunk.count
            try checkLimit(received)
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

    /// Runs `body`, and throws if it takes longer than the timeout. The client's own limit of this kind is the same for
    /// all requests. It holds the body back while the reader does not read, which does not count here.
    private func withTimeout(_ body: @escaping @Sendable () async throws -> Data?) async throws -> Data? {
        try await withThrowingTaskGroup(of: Data?.self) { group in
            group.addTask { try await body() }
            group.addTask { [timeout] in
                try await Task.sleep(for: timeout)
                throw HTTPClientError.readTimeout
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
