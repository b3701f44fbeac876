internal import CalotypeSystem

extension LoopbackServer {
    /// The client went away, or the server was stopped.
    public struct Disconnected: Error, Sendable {}

    /// One client's connection, for the handler to write to. To be used from the handler's thread.
    public final class Connection: Sendable {
        private struct State {
            var isClosed = false
            var clientHasLeft = false
        }

        private let socket: Int32
        private let secured: TLSStream?
        private let stopping: Gate
        let requests: Counter
        private let state = Monitor(State())

        init(socket: Int32, secured: TLSStream? = nil, stopping: Gate, requests: Counter) {
            self.socket = socket
            self.secured = secured
            self.stopping = stopping
            self.requests = requests
        }

        /// Sends a whole response with its `Content-Length`; no body follows the head of a `HEAD` request's or a 304's
        /// response, so pass an empty one there.
        public func respond(_ response: Response) throws(Disconnected) {
            var headers = response.headers
            if !headers.contains(where: { $0.name.lowercased() == "content-length" }) {
                headers.append(("Content-Length", String(response.body.count)))
            }
            try write(Self.head(response.status, headers) + response.body)
        }

        /// Sends the head of a response and nothing more.
        public func writeHeaders(_ status: Int, headers: [(name: String, value: String)] = []) throws(Disconnected) {
            try write(Self.head(status, headers))
        }

        /// Sends text as it stands.
        public func write(_ text: String) throws(Disconnected) { try write(Array(text.utf8)) }

        /// Sends bytes as they stand; blocks while the client's window is full.
        public func write(_ bytes: [UInt8]) throws(Disconnected) {
            var sent = 0
            while sent < bytes.count {
                guard !isClosed else { throw Disconnected() }
                let count = unsafe bytes[sent...].withUnsafeBytes {
                    if let secured { return unsafe secured.write($0) }
                    return unsafe send(socket, $0.baseAddress, $0.count, Sockets.noSignal)
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw noteDeparture() }
                sent += count
            }
        }

        /// Sends one chunk of a `Transfer-Encoding: chunked` body; an empty one ends the body.
        public func writeChunk(_ bytes: [UInt8]) throws(Disconnected) {
            try write(Array(String(bytes.count, radix: 16).utf8) + [13, 10] + bytes + [13, 10])
        }

        /// Blocks until `gate` opens.
        ///
        /// - Throws: ``Disconnected`` when the client leaves or the server stops first.
        public func wait(for gate: Gate) throws(Disconnected) {
            switch Sockets.wait(for: socket, secured, gates: [gate, stopping]) {
            case .gate(0): return
            case .closed: throw noteDeparture()
            default: throw Disconnected()
            }
        }

        /// Blocks until the client leaves or the server stops.
        public func waitForDisconnect() {
            if case .closed = Sockets.wait(for: socket, secured, gates: [stopping]) { _ = noteDeparture() }
        }

        /// Ends the connection in order: what was written still arrives.
        public func close() {
            state.withLock { $0.isClosed = true }
            secured?.end()
            _ = shutdown(socket, Int32(SHUT_WR))
        }

        /// Ends the connection with a reset: the client's next read fails.
        public func reset() {
            state.withLock { $0.isClosed = true }
            Sockets.resetOnClose(socket)
        }

        /// Whether ``close()`` or ``reset()`` was called.
        public var isClosed: Bool { state.withLock { $0.isClosed } }

        var clientHasLeft: Bool { state.withLock { $0.clientHasLeft } }

        /// The next bytes, as soon as there are any; `nil` when there will be none.
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
                if !stopping.isOpen { _ = noteDeparture() }
                return nil
            }
        }

        func closeSocket() { _ = Sockets.close(socket) }

        private func noteDeparture() -> Disconnected {
            state.withLock { $0.clientHasLeft = true }
            return Disconnected()
        }

        private static func head(_ status: Int, _ headers: [(name: String, value: String)]) -> [UInt8] {
            var text = "HTTP/1.1 \(status) \(status < 400 ? "Fine" : "Refused")\r\n"
            for header in headers { text += "\(header.name): \(header.value)\r\n" }
            return Array((text + "\r\n").utf8)
        }
    }
}
