internal import CalotypeSystem
internal import ImageCore

/// An HTTP/1.1 server on 127.0.0.1 for tests of network layers and for demos. It can send correct and incorrect
/// responses.
///
/// Each connection has its own thread, on which the handler runs once for each request. The handler may block, for
/// example at a ``Gate`` or until the client disconnects. The server sends what the handler writes unchanged, so a
/// handler can stall, send wrong lengths or invalid data, and close the connection at any time.
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
    private let security: (any ConnectionSecurity)?
    private let handler: ConnectionHandler
    private let stopping: Gate
    private let threads = ServerThreads()

    /// Starts a server that calls `handler` for each request.
    ///
    /// - Parameter handler: Responds to a request, on the connection's thread.
    /// - Throws: ``SocketError`` when the system provides no socket or no thread.
    public convenience init(handler: @escaping Handler) throws(SocketError) { try self.init(security: nil, handler: handler) }

    /// Starts a server that passes each connection to `handler` without reading a request, for protocols other than
    /// HTTP/1.1.
    ///
    /// - Parameter handler: Handles a connection on its thread. The server closes the connection when it returns or
    ///   throws.
    /// - Throws: ``SocketError`` when the system provides no socket or no thread.
    public convenience init(connecting handler: @escaping ConnectionHandler) throws(SocketError) {
        try self.init(security: nil, connecting: handler)
    }

    /// The same, with `security` for the connections.
    package convenience init(security: (any ConnectionSecurity)?, handler: @escaping Handler) throws(SocketError) {
        try self.init(security: security, connecting: { connection in try Self.serve(connection, handler: handler) })
    }

    package init(security: (any ConnectionSecurity)?, connecting handler: @escaping ConnectionHandler) throws(SocketError) {
        stopping = try Gate()
        self.security = security
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

    /// Returns a URL of the server: `http://127.0.0.1:PORT` and the path.
    ///
    /// - Parameter path: Begins with a slash. By default `/`.
    public func url(_ path: String = "/") -> String { "\(security == nil ? "http" : "https")://127.0.0.1:\(port)\(path)" }

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
        let (listener, security, stopping, handler, threads) = (listener, security, stopping, handler, threads)
        let (connections, requests, disconnections) = (connections, requests, disconnections)
        return threads.start {
            while let socket = Sockets.accept(from: listener, until: stopping) {
                let isServed =
                    threads.add(socket)
                    && threads.start {
                        connections.increment()
                        let secured = security?.accept(socket)
                        let connection = Connection(socket: socket, secured: secured, stopping: stopping, requests: requests)
                        // Without a handshake, for example because the client rejects the certificate, there is nothing
                        // to handle.
                        if security == nil || secured != nil { try? handler(connection) }
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
