public import HTTPTypes
public import ImageCore

/// A network layer that answers from a script, counts, and can be held at a gate.
///
/// ```swift
/// let loader = ScriptedLoader { _ in .body(Data([1, 2, 3])) }
/// let response = try await loader.load(DataRequest(url: URL(string: "test://a")!))
/// print(loader.requests.count, response.head.status)
/// ```
public final class ScriptedLoader: DataLoading {
    /// What to do with one request.
    public enum Reply: Sendable {
        /// Answers 200 with one chunk.
        case body(Data)
        /// Answers with a head and chunks; the gate, if any, is passed before each chunk.
        case response(HTTPResponse, chunks: [Data], gate: Gate? = nil)
        case failure(any Error)
        /// Leaves the request to another loader, such as one that goes to a real server.
        case forward(any DataLoading)
    }

    private let script: @Sendable (DataRequest) throws -> Reply
    private let log = EventLog<DataRequest>()
    private let cancellations = Lock(0)

    /// Passed by every request before it is answered; open unless given.
    public let gate: Gate

    public init(gate: Gate = Gate(isOpen: true), _ script: @escaping @Sendable (DataRequest) throws -> Reply) {
        self.gate = gate
        self.script = script
    }

    /// Every request that was begun, in order.
    public var requests: [DataRequest] { log.events }

    /// Requests that were cancelled at a gate.
    public var cancelled: Int { cancellations.withLock { $0 } }

    /// Returns when at least `count` requests have begun.
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
