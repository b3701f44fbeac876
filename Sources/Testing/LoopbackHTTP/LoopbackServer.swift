internal import CalotypeSystem

/// An HTTP/1.1 server on 127.0.0.1 that serves well or misbehaves on order: for tests of network layers and for demos.
///
/// Each connection has a thread of its own, on which the handler runs once per request and may block: at a ``Gate``, or
/// until the client leaves. What the handler writes goes to the socket as it stands, so it can stall, lie about
/// lengths, send garbage or hang up.
///
/// ```swift
/// let server = try LoopbackServer { request, connection in
///     try connection.respond(LoopbackServer.Response(200, body: Array("hello".utf8)))
/// }
/// print(server.url("/picture.png"))
/// server.stop()
/// ```
public final class LoopbackServer: Sendable {
    /// Answers one request by writing to the connection. Returning keeps the connection open for the next request,
    /// unless it was closed or the client asked for `Connection: close`. Throwing closes it.
    public typealias Handler = @Sendable (Request, Connection) throws -> Void

    /// Has a whole connection to itself.
    public typealias ConnectionHandler = @Sendable (Connection) throws -> Void

    /// The port that the system chose.
    public let port: Int
    /// Connections accepted so far.
    public let connections = Counter()
    /// Requests read whole so far.
    public let requests = Counter()
    /// Connections that the client ended so far: it closed, or a write to it failed.
    public let disconnections = Counter()

    private struct State {
        var sockets: Set<Int32> = []
        var threads = 0
        var isStopped = false
    }

    private let listener: Int32
    private let identity: Identity?
    private let handler: ConnectionHandler
    private let stopping: Gate
    private let state = Monitor(State())

    /// Binds a port and starts to serve, over TLS where there is an identity.
    ///
    /// - Throws: ``SocketError`` when the system gives no socket.
    public convenience init(identity: Identity? = nil, handler: @escaping Handler) throws(SocketError) {
        try self.init(identity: identity, connecting: { connection in try Self.serve(connection, handler: handler) })
    }

    /// A server that leaves each connection to `handler` from its first byte, for what does not even begin as HTTP. The
    /// connection ends when the handler returns or throws.
    public init(identity: Identity? = nil, connecting handler: @escaping ConnectionHandler) throws(SocketError) {
        stopping = try Gate()
        self.identity = identity
        (listener, port) = try Sockets.listenOnLoopback()
        self.handler = handler
        guard startAccepting() else {
            _ = Sockets.close(listener)
            throw SocketError.last("pthread_create")
        }
    }

    /// A server that answers each request with what `serve` returns, and keeps connections alive.
    public convenience init(serving serve: @escaping @Sendable (Request) -> Response) throws(SocketError) {
        try self.init { request, connection in try connection.respond(serve(request)) }
    }

    deinit { stop() }

    /// `http://127.0.0.1:PORT`, or `https`, followed by `path`, which begins with a slash.
    public func url(_ path: String = "/") -> String { "\(identity == nil ? "http" : "https")://127.0.0.1:\(port)\(path)" }

    /// Closes every socket, releases the handlers that wait, and returns when all threads are done. Not to be called
    /// from a handler. Further calls do nothing.
    public func stop() {
        state.withLock { state in
            state.isStopped = true
            for socket in state.sockets { _ = shutdown(socket, Int32(SHUT_RDWR)) }
        }
        stopping.open()
        state.wait { $0.threads == 0 }
    }

    /// The threads hold what they need and not the server, so that a dropped server stops.
    private func startAccepting() -> Bool {
        let (listener, identity, stopping, handler, state) = (listener, identity, stopping, handler, state)
        let (connections, requests, disconnections) = (connections, requests, disconnections)
        return Self.startThread(counted: state) {
            while let socket = Sockets.accept(from: listener, until: stopping) {
                let isWanted = state.withLock { state in
                    if !state.isStopped { state.sockets.insert(socket) }
                    return !state.isStopped
                }
                let isServed =
                    isWanted
                    && Self.startThread(counted: state) {
                        connections.increment()
                        let secured = identity?.accept(socket)
                        let connection = Connection(socket: socket, secured: secured, stopping: stopping, requests: requests)
                        // A client that would not have the certificate is gone already.
                        if identity == nil || secured != nil { try? handler(connection) }
                        // Out of the set before it is closed: `stop` must never shut down a descriptor that is someone else's by now.
                        state.withLock { _ = $0.sockets.remove(socket) }
                        connection.closeSocket()
                        if connection.clientHasLeft { disconnections.increment() }
                    }
                if !isServed {
                    state.withLock { _ = $0.sockets.remove(socket) }
                    _ = Sockets.close(socket)
                }
            }
            _ = Sockets.close(listener)
        }
    }

    /// Whether the system gave a thread.
    private static func startThread(counted state: Monitor<State>, _ body: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { $0.threads += 1 }
        let isStarted = DetachedThread.start(stackBytes: 512 << 10, blocksBrokenPipes: true) {
            body()
            state.withLock { $0.threads -= 1 }
        }
        if !isStarted { state.withLock { $0.threads -= 1 } }
        return isStarted
    }

    private static func serve(_ connection: Connection, handler: Handler) throws {
        var reader = RequestReader(connection)
        while !connection.isClosed, let request = reader.next() {
            connection.requests.increment()
            try handler(request, connection)
            if request["Connection"]?.lowercased() == "close" { return }
        }
    }
}

/// The system refused a socket or a pipe.
public struct SocketError: Error, Sendable, CustomStringConvertible {
    /// The call that failed.
    public let call: String
    /// Its `errno`.
    public let code: Int32

    public var description: String { "\(call) failed with error \(code)." }

    static func last(_ call: String) -> SocketError { SocketError(call: call, code: errno) }
}
