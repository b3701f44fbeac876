internal import CalotypeSystem
internal import Dispatch
internal import ImageCore

/// An HTTP/1.1 server on 127.0.0.1 for tests of network layers and for demos. It can send correct and incorrect responses.
///
/// Each connection has its own thread, on which the handler runs once for each request. The handler may block, for example at a
/// ``Gate`` or until the client disconnects. The server sends what the handler writes unchanged, so a handler can stall, send wrong
/// lengths or invalid data, and close the connection at any time.
///
/// ```swift
/// let server = try LoopbackServer { request, connection in
///     try connection.respond(LoopbackServer.Response(200, body: Array("hello".utf8)))
/// }
/// print(server.url("/image.png"))
/// server.stop()
/// ```
public final class LoopbackServer: Sendable {
    /// Responds to one request by writing to the connection.
    ///
    /// When it returns, the connection stays open for the next request, unless the handler closed it or the client sent
    /// `Connection: close`. When it throws, the server closes the connection.
    public typealias Handler = @Sendable (Request, Connection) throws -> Void

    /// Handles a connection from its first byte to its end.
    public typealias ConnectionHandler = @Sendable (Connection) throws -> Void

    /// The port of the server, which the system chose.
    public let port: Int
    /// The number of connections that the server accepted so far.
    public let connections = Counter()
    /// The number of complete requests so far.
    public let requests = Counter()
    /// The number of connections that a client ended so far: it closed the connection, or a write to it failed.
    public let disconnections = Counter()

    private let listener: Int32
    private let identity: Identity?
    private let handler: ConnectionHandler
    private let stopping: Gate
    private let threads = ServerThreads()

    /// Starts a server that calls `handler` for each request.
    ///
    /// - Parameters:
    ///   - identity: The key and the certificate for TLS. By default `nil`: plain HTTP.
    ///   - handler: Responds to a request, on the connection's thread.
    /// - Throws: ``SocketError`` when the system provides no socket or no thread.
    public convenience init(identity: Identity? = nil, handler: @escaping Handler) throws(SocketError) {
        try self.init(identity: identity, connecting: { connection in try Self.serve(connection, handler: handler) })
    }

    /// Starts a server that passes each connection to `handler` without reading a request, for protocols other than HTTP/1.1.
    ///
    /// - Parameters:
    ///   - identity: The key and the certificate for TLS. By default `nil`: no TLS.
    ///   - handler: Handles a connection on its thread. The server closes the connection when it returns or throws.
    /// - Throws: ``SocketError`` when the system provides no socket or no thread.
    public init(identity: Identity? = nil, connecting handler: @escaping ConnectionHandler) throws(SocketError) {
        stopping = try Gate()
        self.identity = identity
        (listener, port) = try Sockets.listenOnLoopback()
        self.handler = handler
        guard startAccepting() else {
            close(listener)
            throw SocketError.last("pthread_create")
        }
    }

    /// Starts a server that sends the response that `serve` returns for each request, and keeps connections alive.
    ///
    /// - Parameter serve: Makes the response to a request, on the connection's thread.
    /// - Throws: ``SocketError`` when the system provides no socket or no thread.
    public convenience init(serving serve: @escaping @Sendable (Request) -> Response) throws(SocketError) {
        try self.init { request, connection in try connection.respond(serve(request)) }
    }

    deinit { stop() }

    /// Returns a URL of the server: `http://127.0.0.1:PORT` and the path, or `https` when the server has an identity.
    ///
    /// - Parameter path: Begins with a slash. By default `/`.
    public func url(_ path: String = "/") -> String { "\(identity == nil ? "http" : "https")://127.0.0.1:\(port)\(path)" }

    /// Closes all sockets, ends the waits of all handlers, and returns when all threads have ended.
    ///
    /// Must not be called from a handler. Later calls do nothing. The server also stops when it is deallocated.
    public func stop() {
        threads.shutDownSockets()
        stopping.open()
        threads.wait()
    }

    /// Starts the accepting thread. The threads do not retain the server, so that it stops when it is deallocated.
    private func startAccepting() -> Bool {
        let (listener, identity, stopping, handler, threads) = (listener, identity, stopping, handler, threads)
        let (connections, requests, disconnections) = (connections, requests, disconnections)
        return threads.start {
            while let socket = Sockets.accept(from: listener, until: stopping) {
                let isServed =
                    threads.add(socket)
                    && threads.start {
                        connections.increment()
                        let tls = identity?.accept(socket)
                        let connection = Connection(socket: socket, tls: tls, stopping: stopping, requests: requests)
                        // Without a handshake, for example because the client rejects the certificate, there is nothing to handle.
                        if identity == nil || tls != nil { try? handler(connection) }
                        threads.close(socket)
                        if connection.clientHasDisconnected { disconnections.increment() }
                    }
                if !isServed { threads.close(socket) }
            }
            close(listener)
        }
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

/// The threads of a server and the sockets of its connections.
private final class ServerThreads: Sendable {
    private struct State {
        var sockets: Set<Int32> = []
        var isStopped = false
    }

    private let state = Lock(State())
    private let running = DispatchGroup()

    /// Starts a thread. Returns whether the system provided one.
    func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        running.enter()
        let isStarted = DetachedThread.start(stackBytes: 512 << 10, blocksBrokenPipes: true) { [running] in
            body()
            running.leave()
        }
        if !isStarted { running.leave() }
        return isStarted
    }

    /// Returns when all threads have ended.
    func wait() { running.wait() }

    /// Adds the socket of a connection, unless the server is stopped.
    func add(_ socket: Int32) -> Bool {
        state.withLock { state in
            if !state.isStopped { state.sockets.insert(socket) }
            return !state.isStopped
        }
    }

    func close(_ socket: Int32) {
        // Remove the socket before closing it: the system may reuse its number, and `stop` must not shut down another file's
        // descriptor.
        state.withLock { _ = $0.sockets.remove(socket) }
        _ = CalotypeSystem.close(socket)
    }

    func shutDownSockets() {
        state.withLock { state in
            state.isStopped = true
            for socket in state.sockets { _ = shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }
}

/// The error of a system call for a socket, a pipe or a thread.
public struct SocketError: Error, Sendable, CustomStringConvertible {
    /// The name of the call that failed.
    public let call: String
    /// The value of `errno` after the call.
    public let code: Int32

    /// The call and its error number.
    public var description: String { "\(call) failed with error \(code)." }

    static func last(_ call: String) -> SocketError { SocketError(call: call, code: errno) }
}
