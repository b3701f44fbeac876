public import HTTPTypes
public import ImageCore

/// A network layer whose responses a closure makes, that records its requests, and that a test can hold at a gate.
///
/// ```swift
/// let loader = ScriptedLoader { _ in .body(Data([1, 2, 3])) }
/// let response = try await loader.load(DataRequest(url: URL(string: "test://a")!))
/// print(loader.requests.count, response.head.status)
/// ```
public final class ScriptedLoader: DataLoading {
    /// How the loader responds to one request.
    public enum Reply: Sendable {
        /// A response with status 200 and a body of one chunk.
        case body(Data)
        /// A response with the given status, headers and chunks. Each chunk passes the gate, if there is one.
        case response(HTTPResponse, chunks: [Data], gate: Gate? = nil)
        /// An error.
        case failure(any Error)
        /// The response of another loader, such as one that uses the network.
        case forward(any DataLoading)
    }

    private let script: @Sendable (DataRequest) throws -> Reply
    private let log = EventLog<DataRequest>()
    private let cancellations = Lock(0)

    /// The gate that each request passes before its response.
    public let gate: Gate

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - gate: The gate of all requests. Open by default.
    ///   - script: Returns the reply to a request. The load throws its error.
    public init(gate: Gate = Gate(isOpen: true), _ script: @escaping @Sendable (DataRequest) throws -> Reply) {
        self.gate = gate
        self.script = script
    }

    /// All requests so far, in order of their start.
    public var requests: [DataRequest] { log.events }

    /// The number of requests that were cancelled at a gate.
    public var cancelled: Int { cancellations.withLock { $0 } }

    /// Returns as soon as at least `count` requests have started. Ignores cancellation.
    public func waitForRequests(_ count: Int) async { await log.wait(forCount: count) }

    public func load(_ request: DataRequest) async throws -> DataResponse {
        log.append(request)
        try await pass(gate)
        switch try script(request) {
        case .body(let data): return DataResponse(url: request.url, body: ByteStream(data))
        case .failure(let error): throw error
        case .forward(let loader): return try await loader.load(request)
        case .response(let head, let chunks, let chunkGate):
            let remaining = Lock(chunks[...])
            return DataResponse(
                url: request.url, head: head,
                body: ByteStream { [self] in
                    guard let chunk = remaining.withLock({ $0.popFirst() }) else { return nil }
                    if let chunkGate { try await pass(chunkGate) }
                    return chunk
                })
        }
    }

    private func pass(_ gate: Gate) async throws {
        do {
            try await gate.pass()
        } catch {
            cancellations.withLock { $0 += 1 }
            throw error
        }
    }
}
