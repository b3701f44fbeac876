import HTTPTypes
import ImageCore
import ImageNetworking
import LoopbackHTTP
import Testing

import CalotypeSystem

typealias Gate = LoopbackServer.Gate

extension LoopbackServer {
    func request(_ path: String = "/", timeout: Duration = .seconds(300), maximumBytes: Int? = nil) throws -> DataRequest {
        DataRequest(url: try #require(URL(string: url(path))), timeout: timeout, maximumBytes: maximumBytes)
    }

    /// A server that answers everything with `body`.
    static func answering(_ status: Int = 200, headers: [(name: String, value: String)] = [], body: String) throws
        -> LoopbackServer
    {
        try LoopbackServer(serving: { _ in Response(status, headers: headers, body: Array(body.utf8)) })
    }

    /// A response as it goes over a connection that is kept alive.
    static func text(of body: String) -> String { "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)" }

    /// A server that writes `text` and hangs up.
    static func writing(_ text: String) throws -> LoopbackServer {
        try LoopbackServer { _, connection in
            try connection.write(text)
            connection.close()
        }
    }
}

extension ByteStream {
    func collected() async throws -> Data {
        var data = Data()
        for try await chunk in self { data.append(chunk) }
        return data
    }

    func text() async throws -> String { String(decoding: try await collected(), as: UTF8.self) }
}

extension DataLoading {
    /// The whole body.
    func body(of request: DataRequest) async throws -> Data { try await load(request).body.collected() }
}

/// Answers by a list, and notes at each request how many bodies of the answers before are still held: over a network each of
/// them would hold a connection.
final class HeldBodies: DataLoading {
    private final class Body: Sendable {
        let held: HeldBodies

        init(_ held: HeldBodies) {
            self.held = held
            held.state.withLock { $0.bodies += 1 }
        }

        deinit { held.state.withLock { $0.bodies -= 1 } }
    }

    private struct State {
        var answers: [HTTPResponse]
        var bodies = 0
        var atRequests: [Int] = []
    }

    private let state: Lock<State>

    init(_ answers: HTTPResponse...) { state = Lock(State(answers: answers)) }

    /// How many are held.
    var count: Int { state.withLock { $0.bodies } }
    /// How many were held when each request came.
    var atRequests: [Int] { state.withLock { $0.atRequests } }

    func load(_ request: DataRequest) async throws -> DataResponse {
        let head = state.withLock { state in
            state.atRequests.append(state.bodies)
            return state.answers.removeFirst()
        }
        let body = Body(self)
        return DataResponse(
            url: request.url, head: head,
            body: ByteStream {
                withExtendedLifetime(body) {}
                return nil
            })
    }
}

/// The error that `body` throws, as the framework's own.
func imageError(of body: () async throws -> Void) async throws -> ImageError {
    do { try await body() } catch let error as ImageError { return error }
    throw Expected.imageError
}

enum Expected: Error {
    case imageError
}

extension CurlLoader.Configuration {
    /// Without a time limit that could do what a test waits for.
    static var patient: Self {
        var configuration = Self()
        configuration.idleTimeout = nil
        return configuration
    }
}

/// What the two sockets of a connection on this machine hold at most of what was sent and not read, in bytes.
func mostInSockets() -> Int {
    #if os(Linux)
        // tcp(7): the least, the default, and the most that the kernel lets the buffers of a connection grow to.
        func most(_ file: String) -> Int? {
            let text = try? String(contentsOf: URL(filePath: "/proc/sys/net/ipv4/\(file)"), encoding: .utf8)
            return text?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) }
        }
        if let receiving = most("tcp_rmem"), let sending = most("tcp_wmem") { return receiving + sending }
    #endif
    return 16 << 20
}
