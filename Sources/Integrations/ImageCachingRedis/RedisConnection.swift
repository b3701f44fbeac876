#if Redis
    internal import CCalotypeLibHiredis
    internal import Dispatch
    internal import ImageCore

    internal import CalotypeSystem

    /// The reason why a command failed.
    enum RedisFailure: Error, Hashable, CustomStringConvertible {
        /// The command was not sent, because earlier ones failed.
        case paused
        /// The connection was refused, timed out or was lost.
        case connection(String)
        /// The server replied with an error.
        case errorReply(String)

        /// Whether the server works but takes no writes now: its memory is full, its disk is, or it is a replica. Reads
        /// go on.
        var isOfWritesOnly: Bool {
            guard case .errorReply(let text) = self else { return false }
            return ["OOM ", "MISCONF ", "READONLY "].contains { text.hasPrefix($0) }
        }

        var description: String {
            switch self {
            case .paused: "requests to the server are paused after repeated failures"
            case .connection(let text): text
            case .errorReply(let text): "the server replied \(text)"
            }
        }
    }

    /// One connection to a server. Connects with the first command, and again after a command that broke the
    /// connection. Blocks; used by one thread at a time.
    // @unchecked because the context is used only on the queue, or by `deinit`.
    @safe final class RedisConnection: @unchecked Sendable {
        /// Where the cache runs the commands of the connection.
        let queue = DispatchQueue(label: "calotype.redis")
        private let configuration: RedisDataCache.Configuration
        private var context: UnsafeMutablePointer<redisContext>?

        init(_ configuration: RedisDataCache.Configuration) { self.configuration = configuration }

        deinit { disconnect() }

        /// Sends a command and passes its reply to `body`: the bytes of a string, or no bytes for other types.
        func command<R>(_ arguments: [[UInt8]], _ body: (UnsafeRawBufferPointer) -> R) throws(RedisFailure) -> R {
            try unsafe withReply(to: arguments) { reply throws(RedisFailure) in
                let isString = unsafe reply.pointee.type == REDIS_REPLY_STRING
                return unsafe body(
                    UnsafeRawBufferPointer(start: isString ? reply.pointee.str : nil, count: isString ? reply.pointee.len : 0))
            }
        }

        /// Removes all keys that match a pattern, by iterating over the keys of the server.
        func removeAll(matching pattern: String) throws(RedisFailure) {
            var cursor = "0"
            var pages = 0
            repeat {
                pages += 1
                guard pages <= Self.maximumPages else { throw .errorReply("with an endless list of keys") }
                let scan: [[UInt8]] = [
                    .text("SCAN"), .text(cursor), .text("MATCH"), .text(pattern), .text("COUNT"), .text("1000"),
                ]
                let (next, names) = try unsafe withReply(to: scan) { reply throws(RedisFailure) in unsafe Self.page(reply.pointee)
                }
                if !names.isEmpty { try unsafe command([.text("UNLINK")] + names) { _ in } }
                cursor = next
            } while cursor != "0"
        }

        /// A page has about a thousand keys.
        private static let maximumPages = 1_000_000

        /// The cursor and the keys in the reply to `SCAN`.
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
            to arguments: [[UInt8]], _ body: (UnsafeMutablePointer<redisReply>) throws(RedisFailure) -> R
        ) throws(RedisFailure) -> R {
            if unsafe context == nil { try connect() }
            return try unsafe send(arguments, body)
        }

        private func send<R>(
            _ arguments: [[UInt8]], _ body: (UnsafeMutablePointer<redisReply>) throws(RedisFailure) -> R
        ) throws(RedisFailure) -> R {
            let bytes = arguments.reduce(into: []) { $0 += $1 }
            let answer = unsafe SignalShield.run { unsafe run(bytes, arguments.map(\.count)) }
            guard let reply = unsafe answer?.assumingMemoryBound(to: redisReply.self) else {
                let text = unsafe context.map { unsafe Self.text(of: $0.pointee) } ?? "the connection is closed"
                // After a missing reply, the next command would receive the wrong one.
                disconnect()
                throw .connection(text)
            }
            defer { unsafe freeReplyObject(reply) }
            if unsafe reply.pointee.type == REDIS_REPLY_ERROR {
                throw .errorReply(unsafe String(decoding: Self.bytes(of: reply.pointee).prefix(200), as: UTF8.self))
            }
            return try unsafe body(reply)
        }

        /// Sends the arguments, which are concatenated in `bytes`, and waits for the reply; `nil` if there is none.
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

        /// Sends the queued bytes and reads until the reply is complete; `nil` on failure. The socket limits each wait,
        /// and the deadline limits all of them: a server that sends single bytes, or too many, must neither block the
        /// queue nor fill the memory.
        private func reply(on context: UnsafeMutablePointer<redisContext>) -> UnsafeMutableRawPointer? {
            let deadline = configuration.now() + (configuration.timeout / .seconds(1)) * Self.timeoutsPerReply
            var isSent: Int32 = 0
            while isSent == 0 {
                guard configuration.now() < deadline, unsafe redisBufferWrite(context, &isSent) == REDIS_OK else { return nil }
            }
            var reply: UnsafeMutableRawPointer?
            while true {
                guard unsafe redisGetReplyFromReader(context, &reply) == REDIS_OK else { return nil }
                if let reply = unsafe reply { return unsafe reply }
                guard configuration.now() < deadline, unsafe context.pointee.reader.pointee.len <= maximumReplyBytes,
                    unsafe redisBufferRead(context) == REDIS_OK
                else { return nil }
            }
        }

        /// The limit for a whole reply, as a multiple of the timeout for one wait.
        private static let timeoutsPerReply = 8.0

        /// A value or a page of keys, and the bytes that the protocol adds.
        private var maximumReplyBytes: Int { configuration.maximumEntryBytes + 1 << 20 }

        private func connect() throws(RedisFailure) {
            let seconds = max(0.001, configuration.timeout / .seconds(1))
            let limit = timeval(tv_sec: Int(seconds), tv_usec: .init((seconds - seconds.rounded(.down)) * 1e6))
            let made =
                switch configuration.address {
                case .host(let name, let port): unsafe redisConnectWithTimeout(name, Int32(clamping: port), limit)
                case .socket(let path): unsafe redisConnectUnixWithTimeout(path, limit)
                }
            guard let made = unsafe made else { throw .connection("out of memory") }
            unsafe context = made
            guard unsafe made.pointee.err == 0, unsafe redisSetTimeout(made, limit) == REDIS_OK else {
                let text = unsafe Self.text(of: made.pointee)
                disconnect()
                throw .connection(text)
            }
            do throws(RedisFailure) {
                if let password = configuration.password {
                    let names = configuration.user.map { [[UInt8].text($0)] } ?? []
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
                return text.isEmpty ? "the connection was lost" : text
            }
        }
    }

    extension [UInt8] {
        /// An argument of a command.
        static func text(_ text: String) -> [UInt8] { Array(text.utf8) }
    }

    /// Suppresses `SIGPIPE`. hiredis writes to sockets without `MSG_NOSIGNAL`, so a lost connection would end the
    /// process.
    enum SignalShield {
        /// Runs `body` on this thread and discards any `SIGPIPE` that it causes.
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
