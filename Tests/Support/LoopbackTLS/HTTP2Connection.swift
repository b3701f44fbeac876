package import LoopbackHTTP

extension LoopbackServer {
    /// The server's side of an HTTP/2 connection (RFC 9113), reduced to what tests need. Only the connection's thread
    /// may use it.
    ///
    /// It ignores the headers of requests, and its responses have the status 200, an optional `Content-Length` and a
    /// body.
    ///
    /// ```swift
    /// let server = try LoopbackServer(security: LoopbackServer.Identity(protocolName: "h2"), connecting: { connection in
    ///     var http2 = try LoopbackServer.HTTP2Connection(connection)
    ///     while let stream = try http2.nextRequest() { try http2.respond(to: stream, body: [1, 2, 3]) }
    /// })
    /// ```
    package struct HTTP2Connection {
        /// An error code of RFC 9113, section 7.
        package enum ErrorCode: UInt32, Sendable {
            /// The server failed.
            case internalError = 2
            /// The peer causes too much load.
            case enhanceYourCalm = 11
        }

        private enum FrameType {
            static let data: UInt8 = 0
            static let headers: UInt8 = 1
            static let reset: UInt8 = 3
            static let settings: UInt8 = 4
            static let ping: UInt8 = 6
            static let goAway: UInt8 = 7
        }

        private static let prefaceLength = 24
        private static let maximumFrameLength = 1 << 14

        private let connection: Connection
        private var buffer: [UInt8] = []

        /// The streams that the client has reset so far. Updated by ``nextRequest()``.
        package private(set) var streamsResetByClient: Set<UInt32> = []

        /// Reads the client's connection preface and sends the server's settings.
        ///
        /// - Throws: ``Disconnected`` when the client disconnects or the server stops first.
        package init(_ connection: Connection) throws(Disconnected) {
            self.connection = connection
            guard take(Self.prefaceLength) != nil else { throw Disconnected() }
            try send(FrameType.settings, flags: 0, stream: 0, [])
        }

        /// Blocks until the next request arrives.
        ///
        /// - Returns: The stream of the request, or `nil` when the client has closed the connection.
        /// - Throws: ``Disconnected`` when the client disconnects while the server answers a ping or a settings frame.
        package mutating func nextRequest() throws(Disconnected) -> UInt32? {
            while let (kind, flags, stream, payload) = nextFrame() {
                switch kind {
                case FrameType.headers:
                    connection.requests.increment()
                    return stream
                case FrameType.settings where flags & 1 == 0: try send(FrameType.settings, flags: 1, stream: 0, [])
                case FrameType.ping where flags & 1 == 0: try send(FrameType.ping, flags: 1, stream: 0, payload)
                case FrameType.reset: streamsResetByClient.insert(stream)
                case FrameType.goAway: return nil
                default: break
                }
            }
            return nil
        }

        /// Sends a complete response with the status 200 and `Content-Length`.
        ///
        /// - Throws: ``Disconnected`` when the client disconnects or the server stops first.
        package func respond(to stream: UInt32, body: [UInt8]) throws(Disconnected) {
            try writeHeaders(to: stream, length: body.count)
            try write(body, to: stream, isLast: true)
        }

        /// Sends the headers of a response with the status 200.
        ///
        /// - Parameters:
        ///   - stream: The stream of the request.
        ///   - length: The value of `Content-Length`. By default the response has none.
        /// - Throws: ``Disconnected`` when the client disconnects or the server stops first.
        package func writeHeaders(to stream: UInt32, length: Int? = nil) throws(Disconnected) {
            // RFC 7541: `:status: 200` is entry 8 of the static table; `content-length` is entry 28, with a literal
            // value.
            var block: [UInt8] = [0x88]
            if let length {
                let text = Array("\(length)".utf8)
                block += [0x0F, 28 - 15, UInt8(text.count)] + text
            }
            try send(FrameType.headers, flags: 4, stream: stream, block)
        }

        /// Sends a part of a body.
        ///
        /// - Parameters:
        ///   - bytes: The bytes of the part.
        ///   - stream: The stream of the request.
        ///   - isLast: Whether the body ends here.
        /// - Throws: ``Disconnected`` when the client disconnects or the server stops first.
        package func write(_ bytes: [UInt8], to stream: UInt32, isLast: Bool) throws(Disconnected) {
            var rest = bytes[...]
            repeat {
                let part = rest.prefix(Self.maximumFrameLength)
                rest = rest.dropFirst(part.count)
                try send(FrameType.data, flags: isLast && rest.isEmpty ? 1 : 0, stream: stream, Array(part))
            } while !rest.isEmpty
        }

        /// Resets one stream. Other streams continue.
        ///
        /// - Throws: ``Disconnected`` when the client disconnects or the server stops first.
        package func reset(_ stream: UInt32, _ code: ErrorCode) throws(Disconnected) {
            try send(FrameType.reset, flags: 0, stream: stream, Self.bytes(of: code.rawValue))
        }

        /// Announces that the server responds to no stream after `last`.
        ///
        /// - Throws: ``Disconnected`` when the client disconnects or the server stops first.
        package func goAway(last: UInt32, _ code: ErrorCode) throws(Disconnected) {
            try send(FrameType.goAway, flags: 0, stream: 0, Self.bytes(of: last) + Self.bytes(of: code.rawValue))
        }

        private func send(_ kind: UInt8, flags: UInt8, stream: UInt32, _ payload: [UInt8]) throws(Disconnected) {
            var frame = Array(Self.bytes(of: UInt32(payload.count)).dropFirst())
            frame += [kind, flags]
            frame += Self.bytes(of: stream)
            try connection.write(frame + payload)
        }

        private mutating func nextFrame() -> (kind: UInt8, flags: UInt8, stream: UInt32, payload: [UInt8])? {
            guard let header = take(9), let payload = take(Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])) else {
                return nil
            }
            return (header[3], header[4], header[5...8].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF, payload)
        }

        private mutating func take(_ count: Int) -> [UInt8]? {
            while buffer.count < count {
                guard let bytes = connection.read() else { return nil }
                buffer += bytes
            }
            defer { buffer.removeFirst(count) }
            return Array(buffer[..<count])
        }

        private static func bytes(of value: UInt32) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
        }
    }
}
