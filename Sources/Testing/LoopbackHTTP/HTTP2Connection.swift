extension LoopbackServer {
    /// The server's side of HTTP/2 (RFC 9113) over one connection, as little of it as tests need: requests are numbers, and
    /// answers have a status and a body. To be used from the connection's thread.
    ///
    /// ```swift
    /// let server = try LoopbackServer(identity: LoopbackServer.Identity(protocolName: "h2"), connecting: { connection in
    ///     var http2 = try LoopbackServer.HTTP2Connection(connection)
    ///     while let stream = try http2.nextRequest() { try http2.respond(to: stream, body: [1, 2, 3]) }
    /// })
    /// ```
    public struct HTTP2Connection {
        /// Why a stream is reset (section 7).
        public enum ErrorCode: UInt32, Sendable {
            case protocolError = 1
            case internalError = 2
            case refusedStream = 7
            case cancel = 8
            case enhanceYourCalm = 11
        }

        private enum Kind {
            static let data: UInt8 = 0
            static let headers: UInt8 = 1
            static let reset: UInt8 = 3
            static let settings: UInt8 = 4
            static let ping: UInt8 = 6
            static let goAway: UInt8 = 7
        }

        private static let prefaceLength = 24
        private static let largestFrame = 1 << 14

        private let connection: Connection
        private var buffer: [UInt8] = []

        /// Streams that the client has reset so far.
        public private(set) var streamsResetByClient: Set<UInt32> = []

        /// Exchanges greetings.
        public init(_ connection: Connection) throws(Disconnected) {
            self.connection = connection
            guard take(Self.prefaceLength) != nil else { throw Disconnected() }
            try send(Kind.settings, flags: 0, stream: 0, [])
        }

        /// The stream of the next request; `nil` when the client is gone.
        public mutating func nextRequest() throws(Disconnected) -> UInt32? {
            while let (kind, flags, stream, payload) = nextFrame() {
                switch kind {
                case Kind.headers:
                    connection.requests.increment()
                    return stream
                case Kind.settings where flags & 1 == 0: try send(Kind.settings, flags: 1, stream: 0, [])
                case Kind.ping where flags & 1 == 0: try send(Kind.ping, flags: 1, stream: 0, payload)
                case Kind.reset: streamsResetByClient.insert(stream)
                case Kind.goAway: return nil
                default: break
                }
            }
            return nil
        }

        /// Sends a whole answer: 200, its length, the body.
        public func respond(to stream: UInt32, body: [UInt8]) throws(Disconnected) {
            try writeHeaders(to: stream, length: body.count)
            try write(body, to: stream, isLast: true)
        }

        /// Sends the head of an answer: 200, and the length of the body if it is to be announced.
        public func writeHeaders(to stream: UInt32, length: Int? = nil) throws(Disconnected) {
            // RFC 7541: `:status: 200` is entry 8 of the static table; `content-length` is entry 28, with a literal value.
            var block: [UInt8] = [0x88]
            if let length {
                let text = Array("\(length)".utf8)
                block += [0x0F, 28 - 15, UInt8(text.count)] + text
            }
            try send(Kind.headers, flags: 4, stream: stream, block)
        }

        /// Sends a part of a body.
        public func write(_ bytes: [UInt8], to stream: UInt32, isLast: Bool) throws(Disconnected) {
            var rest = bytes[...]
            repeat {
                let part = rest.prefix(Self.largestFrame)
                rest = rest.dropFirst(part.count)
                try send(Kind.data, flags: isLast && rest.isEmpty ? 1 : 0, stream: stream, Array(part))
            } while !rest.isEmpty
        }

        /// Ends one stream with an error; the others go on.
        public func reset(_ stream: UInt32, _ code: ErrorCode) throws(Disconnected) {
            try send(Kind.reset, flags: 0, stream: stream, Self.bytes(of: code.rawValue))
        }

        /// Says that no stream after `last` will be answered.
        public func goAway(last: UInt32, _ code: ErrorCode) throws(Disconnected) {
            try send(Kind.goAway, flags: 0, stream: 0, Self.bytes(of: last) + Self.bytes(of: code.rawValue))
        }

        private func send(_ kind: UInt8, flags: UInt8, stream: UInt32, _ payload: [UInt8]) throws(Disconnected) {
            var frame = Array(Self.bytes(of: UInt32(payload.count)).dropFirst())
            frame += [kind, flags]
            frame += Self.bytes(of: stream)
            try connection.write(frame + payload)
        }

        private mutating func nextFrame() -> (kind: UInt8, flags: UInt8, stream: UInt32, payload: [UInt8])? {
            guard let head = take(9), let payload = take(Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])) else {
                return nil
            }
            return (head[3], head[4], head[5...8].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF, payload)
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
