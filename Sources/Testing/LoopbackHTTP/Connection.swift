internal import CalotypeSystem
internal import ImageCore

extension LoopbackServer {
    /// The client disconnected, or the server was stopped.
    public struct Disconnected: Error, Sendable {
        package init() {}
    }

    /// The connection of one client, to which a handler writes. Only the handler's thread may use it.
    public final class Connection: Sendable {
        private let socket: Int32
        private let secured: (any SecureStream)?
        private let stopping: Gate
        package let requests: Counter
        private let state = Lock((isClosed: false, clientHasDisconnected: false))

        init(socket: Int32, secured: (any SecureStream)? = nil, stopping: Gate, requests: Counter) {
            (self.socket, self.secured, self.stopping, self.requests) = (socket, secured, stopping, requests)
        }

        /// Sends a complete response, with `Content-Length` unless the response has that header.
        ///
        /// For a `HEAD` request or a 304, pass a response without a body.
        ///
        /// - Throws: ``Disconnected`` when the client disconnects or the server stops first.
        public func respond(_ response: Response) throws(Disconnected) {
            var headers = response.headers
            if !headers.contains(where: { $0.name.lowercased() == "content-length" }) {
                headers.append(("Content-Length", String(response.body.count)))
            }
            try write(Self.headerSection(response.status, headers) + response.body)
        }

        /// Sends the status line and the headers of a response, without a body.
        ///
        /// - Throws: ``Disconnected`` when the client disconnects or the server stops first.
        public func writeHeaders(_ status: Int, headers: [(name: String, value: String)] = []) throws(Disconnected) {
            try write(Self.headerSection(status, headers))
        }

        /// Sends text unchanged, in UTF-8.
        ///
        /// - Throws: ``Disconnected`` when the client disconnects or the server stops first.
        public func write(_ text: String) throws(Disconnected) { try write(Array(text.utf8)) }

        /// Sends bytes unchanged. Blocks while the client does not read.
        ///
        /// - Throws: ``Disconnected`` when the client disconnects or the server stops first.
        public func write(_ bytes: [UInt8]) throws(Disconnected) {
            var sent = 0
            while sent < bytes.count {
                guard !isClosed else { throw Disconnected() }
                let count = unsafe bytes[sent...].withUnsafeBytes {
                    if let secured { return unsafe secured.write($0) }
                    return unsafe send(socket, $0.baseAddress, $0.count, 0)
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw markDisconnected() }
                sent += count
            }
        }

        /// Sends one chunk of a `Transfer-Encoding: chunked` body. An empty chunk ends the body.
        ///
        /// - Throws: ``Disconnected`` when the client disconnects or the server stops first.
        public func writeChunk(_ bytes: [UInt8]) throws(Disconnected) {
            try write(Array(String(bytes.count, radix: 16).utf8) + [13, 10] + bytes + [13, 10])
        }

        /// Sends response headers and a body, one byte every 50 ms. Without a number of bytes, the body ends when the
        /// client disconnects.
        package func trickle(bytes: Int = .max) throws(Disconnected) {
            try writeHeaders(200, headers: [("Transfer-Encoding", "chunked")])
            for _ in 0..<bytes {
                try writeChunk([1])
                usleep(50_000)
            }
            try writeChunk([])
        }

        /// Blocks until `gate` opens.
        ///
        /// - Throws: ``Disconnected`` when the client disconnects or the server stops first.
        public func wait(for gate: Gate) throws(Disconnected) {
            if Sockets.waitForClose(of: socket, secured, until: [gate, stopping]) { throw markDisconnected() }
            guard gate.isOpen else { throw Disconnected() }
        }

        /// Blocks until the client disconnects or the server stops.
        public func waitForDisconnect() {
            if Sockets.waitForClose(of: socket, secured, until: [stopping]) { _ = markDisconnected() }
        }

        /// Closes the connection after sending everything that was written.
        public func close() {
            state.withLock { $0.isClosed = true }
            secured?.end()
            _ = shutdown(socket, Int32(SHUT_WR))
        }

        /// Closes the connection with a TCP reset, so that the client's next read fails.
        public func reset() {
            state.withLock { $0.isClosed = true }
            Sockets.resetOnClose(socket)
        }

        /// Whether the handler called ``close()`` or ``reset()``.
        public var isClosed: Bool { state.withLock { $0.isClosed } }

        var clientHasDisconnected: Bool { state.withLock { $0.clientHasDisconnected } }

        /// Blocks until bytes arrive and returns them, or `nil` when the client has disconnected or the server has
        /// stopped.
        public func read() -> [UInt8]? {
            while true {
                var status = 0
                let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 16 << 10) { buffer, count in
                    if let secured {
                        status = unsafe secured.read(into: UnsafeMutableRawBufferPointer(buffer))
                    } else {
                        status = unsafe recv(socket, buffer.baseAddress, buffer.count, 0)
                    }
                    count = max(0, status)
                }
                if status > 0 { return bytes }
                if status < 0, errno == EINTR { continue }
                if !stopping.isOpen { _ = markDisconnected() }
                return nil
            }
        }

        private func markDisconnected() -> Disconnected {
            state.withLock { $0.clientHasDisconnected = true }
            return Disconnected()
        }

        private static func headerSection(_ status: Int, _ headers: [(name: String, value: String)]) -> [UInt8] {
            var text = "HTTP/1.1 \(status) \(status < 400 ? "OK" : "Error")\r\n"
            for header in headers { text += "\(header.name): \(header.value)\r\n" }
            return Array((text + "\r\n").utf8)
        }
    }
}
