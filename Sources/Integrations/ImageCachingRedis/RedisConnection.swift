#if Redis
    internal import CCalotypeLibHiredis
    internal import ImageCore

    internal import CalotypeSystem

    /// Why a command failed.
    enum RedisFailure: Error, Hashable, CustomStringConvertible {
        /// It was not tried, since others failed shortly before.
        case leftAlone
        /// The connection: refused, timed out, broken.
        case connection(String)
        /// The server's answer to the command.
        case refused(String)

        var description: String {
            switch self {
            case .leftAlone: "the server is left alone for a while after it failed"
            case .connection(let text): text
            case .refused(let text): "the server answered \(text)"
            }
        }
    }

    /// One connection to a server, made with the first command and again after one that broke it. Blocks; for one thread at
    /// a time.
    // @unchecked because the context is touched only on the queue of the cache that owns the connection, or by `deinit`.
    @safe final class RedisConnection: @unchecked Sendable {
        enum Argument: Sendable {
            case text(String)
            case bytes([UInt8])

            var contents: [UInt8] {
                switch self {
                case .text(let text): Array(text.utf8)
                case .bytes(let bytes): bytes
                }
            }
        }

        private let configuration: RedisDataCache.Configuration
        private var context: UnsafeMutablePointer<redisContext>?

        init(_ configuration: RedisDataCache.Configuration) { self.configuration = configuration }

        deinit { disconnect() }

        /// Sends a command and hands its answer to `body`: the bytes of a string, nothing for any other kind.
        func command<R>(_ arguments: [Argument], _ body: (UnsafeRawBufferPointer) -> R) throws(RedisFailure) -> R {
            try unsafe withReply(to: arguments) { reply throws(RedisFailure) in
                let isString = unsafe reply.pointee.type == REDIS_REPLY_STRING
                return unsafe body(
                    UnsafeRawBufferPointer(start: isString ? reply.pointee.str : nil, count: isString ? reply.pointee.len : 0))
            }
        }

        /// Removes all names that match, by walking through the server's table.
        func removeAll(matching pattern: String) throws(RedisFailure) {
            var cursor = "0"
            var pages = 0
            repeat {
                pages += 1
                guard pages <= Self.mostPages else { throw .refused("with a list of names that does not end") }
                let scan: [Argument] = [
                    .text("SCAN"), .text(cursor), .text("MATCH"), .text(pattern), .text("COUNT"), .text("1000"),
                ]
                let (next, names) = try unsafe withReply(to: scan) { reply throws(RedisFailure) in unsafe Self.page(reply.pointee)
                }
                if !names.isEmpty { try unsafe command([.text("UNLINK")] + names.map { .bytes($0) }) { _ in } }
                cursor = next
            } while cursor != "0"
        }

        /// Of about a thousand names each: a thousand million names.
        private static let mostPages = 1_000_000

        /// The cursor and the names in the answer to a `SCAN`.
        private static func page(_ reply: redisReply) -> (cursor: String, names: [[UInt8]]) {
            guard unsafe reply.type == REDIS_REPLY_ARRAY, unsafe reply.elements == 2, let parts = unsafe reply.element,
                let first = unsafe parts[0], let second = unsafe parts[1]
            else { return ("0", []) }
            var names: [[UInt8]] = []
            guard unsafe second.pointee.type == REDIS_REPLY_ARRAY else { return ("0", []) }
            for i in 0..<(unsafe second.pointee.elements) {
                if let name = unsafe second.pointee.element[i] { unsafe names.append(bytes(of: name.pointee)) }
            }
            return (unsafe String(decoding: bytes(of: first.pointee), as: UTF8.self), names)
        }

        private static func bytes(of reply: redisReply) -> [UInt8] {
            unsafe Array(UnsafeRawBufferPointer(start: reply.str, count: reply.str == nil ? 0 : reply.len))
        }

        private func withReply<R>(
            to arguments: [Argument], _ body: (UnsafeMutablePointer<redisReply>) throws(RedisFailure) -> R
        ) throws(RedisFailure) -> R {
            if unsafe context == nil { try connect() }
            return try unsafe send(arguments, body)
        }

        private func send<R>(
            _ arguments: [Argument], _ body: (UnsafeMutablePointer<redisReply>) throws(RedisFailure) -> R
        ) throws(RedisFailure) -> R {
            let parts = arguments.map(\.contents)
            var flat: [UInt8] = []
            flat.reserveCapacity(parts.reduce(0) { $0 + $1.count })
            for part in parts { flat.append(contentsOf: part) }
            let lengths = parts.map(\.count)
            let answer = unsafe SignalShield.run { unsafe run(flat, lengths) }
            guard let reply = unsafe answer?.assumingMemoryBound(to: redisReply.self) else {
                let text = unsafe context.map { unsafe Self.text(of: $0.pointee) } ?? "the connection is closed"
                // After an answer that did not come, the next one to come would be the wrong one.
                disconnect()
                throw .connection(text)
            }
            defer { unsafe freeReplyObject(reply) }
            if unsafe reply.pointee.type == REDIS_REPLY_ERROR {
                throw .refused(unsafe String(decoding: Self.bytes(of: reply.pointee).prefix(200), as: UTF8.self))
            }
            return try unsafe body(reply)
        }

        /// Sends the arguments, which follow each other in `bytes`, and waits for the answer; `nil` where none came.
        private func run(_ bytes: [UInt8], _ lengths: [Int]) -> UnsafeMutableRawPointer? {
            unsafe bytes.withUnsafeBytes { all in
                var starts: [UnsafePointer<CChar>?] = unsafe []
                var at = 0
                for length in lengths {
                    let start = unsafe all.baseAddress?.advanced(by: at)
                    unsafe starts.append(start?.assumingMemoryBound(to: CChar.self))
                    at += length
                }
                guard let context = unsafe context,
                    unsafe redisAppendCommandArgv(context, Int32(lengths.count), &starts, lengths) == REDIS_OK
                else { return nil }
                return unsafe reply(on: context)
            }
        }

        /// Sends what is queued and reads until the answer is whole; `nil` where it does not come. Each wait has its time
        /// limit in the socket, and all of them together have one here: a server that sends a byte now and then, or more
        /// than it was asked for, must not hold the queue, nor fill memory.
        private func reply(on context: UnsafeMutablePointer<redisContext>) -> UnsafeMutableRawPointer? {
            let deadline = configuration.now() + configuration.timeout * Self.waitsPerAnswer
            var isSent: Int32 = 0
            while isSent == 0 {
                guard configuration.now() < deadline, unsafe redisBufferWrite(context, &isSent) == REDIS_OK else { return nil }
            }
            var reply: UnsafeMutableRawPointer?
            while true {
                guard unsafe redisGetReplyFromReader(context, &reply) == REDIS_OK else { return nil }
                if let reply = unsafe reply { return unsafe reply }
                guard configuration.now() < deadline, unsafe context.pointee.reader.pointee.len <= largestAnswer,
                    unsafe redisBufferRead(context) == REDIS_OK
                else { return nil }
            }
        }

        /// How many times the limit of one wait an answer may take, all its pieces together.
        private static let waitsPerAnswer = 8.0

        /// A value, or a page of names, and what the protocol puts around it.
        private var largestAnswer: Int { configuration.largestEntry + 1 << 20 }

        private func connect() throws(RedisFailure) {
            let seconds = max(0.001, configuration.timeout)
            let limit = timeval(tv_sec: Int(seconds), tv_usec: .init((seconds - seconds.rounded(.down)) * 1e6))
            let made =
                switch configuration.address {
                case .host(let name, let port): unsafe redisConnectWithTimeout(name, Int32(clamping: port), limit)
                case .socket(let path): unsafe redisConnectUnixWithTimeout(path, limit)
                }
            guard let made = unsafe made else { throw .connection("there is no memory for a connection") }
            unsafe context = made
            guard unsafe made.pointee.err == 0, unsafe redisSetTimeout(made, limit) == REDIS_OK else {
                let text = unsafe Self.text(of: made.pointee)
                disconnect()
                throw .connection(text)
            }
            do throws(RedisFailure) {
                if let password = configuration.password {
                    let names = configuration.user.map { [Argument.text($0)] } ?? []
                    try unsafe send([.text("AUTH")] + names + [.text(password)]) { _ throws(RedisFailure) in }
                }
                if configuration.database != 0 {
                    try unsafe send([.text("SELECT"), .text("\(configuration.database)")]) { _ throws(RedisFailure) in }
                }
            } catch {
                disconnect()
                throw error
            }
        }

        private func disconnect() {
            unsafe redisFree(context)
            unsafe context = nil
        }

        private static func text(of context: redisContext) -> String {
            unsafe withUnsafeBytes(of: context.errstr) { bytes in
                let text = unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                return text.isEmpty ? "the connection broke" : text
            }
        }
    }

    /// hiredis writes to sockets without `MSG_NOSIGNAL`: a server that went away would end the process by `SIGPIPE`.
    enum SignalShield {
        /// Runs `body` on this thread without any `SIGPIPE` that it causes.
        static func run<R>(_ body: () -> R) -> R {
            var (pipe, before, pending) = (sigset_t(), sigset_t(), sigset_t())
            unsafe sigemptyset(&pipe)
            unsafe sigaddset(&pipe, SIGPIPE)
            unsafe sigpending(&pending)
            let wasPending = unsafe sigismember(&pending, SIGPIPE) == 1
            unsafe pthread_sigmask(SIG_BLOCK, &pipe, &before)
            defer {
                unsafe sigpending(&pending)
                if !wasPending, unsafe sigismember(&pending, SIGPIPE) == 1 {
                    var caught: Int32 = 0
                    unsafe sigwait(&pipe, &caught)
                }
                unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
            }
            return body()
        }
    }
#endif
