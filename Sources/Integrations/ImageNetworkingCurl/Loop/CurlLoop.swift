internal import CCalotypeCurl
internal import HTTPTypes
internal import ImageCore
internal import ImageNetworking

/// The loop that drives all transfers of a loader on one thread: it takes messages, starts what may start, lets libcurl
/// work, and publishes what came in, in that order, then sleeps until a socket, a timer or a message wakes it.
final class CurlLoop {
    /// More idle handles than this are not worth their memory.
    private static let mostIdleHandles = 64
    private let multi: MultiHandle
    private let readiness: Readiness
    let buffers = BodyBuffers()
    private let mailbox: Mailbox
    let configuration: CurlLoader.Configuration
    /// At least a millisecond, since it is what the loop sleeps by.
    private let idleTimeout: Duration?
    /// Whether libcurl is to look for proxies in the environment, which takes a while if it must for every transfer.
    private let usesProxies: Bool
    private var queue: TransferQueue<Transfer>
    // Lists that are touched for every transfer are not checked for exclusive access, because no use of one of them can reach
    // another: the checks of the run time cost as much as the uses.
    /// In no order. Each knows its place.
    @exclusivity(unchecked) private var running: [Exchange] = []
    /// Cancelled exchanges whose name lookup still runs. They get no socket.
    private var orphans: [ObjectIdentifier: Exchange] = [:]
    @exclusivity(unchecked) private var idleHandles: [EasyHandle] = []
    @exclusivity(unchecked) private var touched: [Exchange] = []
    private var publishing: [Exchange] = []
    /// Readers to wake when libcurl has been told of everything.
    @exclusivity(unchecked) private var wakes: [BodyChannel.Wake] = []
    private var keptConnections = KeptConnections()
    /// When the turn began.
    private(set) var now = ContinuousClock.now
    /// Not later than the first time limit of what runs is over, or, where a server may have fallen silent, is to be looked at.
    /// libcurl would keep timers for each transfer, at several times the cost.
    private var nextLimit = ContinuousClock.now

    /// `nil` when libcurl has no memory left, or the system no descriptor.
    init?(_ configuration: CurlLoader.Configuration, mailbox: Mailbox) {
        guard CurlLibrary.isReady, let multi = MultiHandle() else { return nil }
        guard let readiness = Readiness(multi) else {
            _ = unsafe curl_multi_cleanup(multi.pointer)
            return nil
        }
        self.multi = multi
        self.readiness = readiness
        self.mailbox = mailbox
        self.configuration = configuration
        idleTimeout = configuration.idleTimeout.map { max($0, .milliseconds(1)) }
        usesProxies =
            configuration.usesProxyOfEnvironment && configuration.sourcePolicy == nil
            && ProcessInfo.processInfo.environment.contains { $0.key.lowercased().hasSuffix("_proxy") && !$0.value.isEmpty }
        queue = TransferQueue(
            TransferQueue.Limits(
                perHost: max(1, configuration.connectionsPerHost), total: max(1, configuration.connections),
                streamsPerHost: max(1, configuration.streamsPerHost)))
        multi.set(CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        multi.set(CURLMOPT_MAX_HOST_CONNECTIONS, max(1, configuration.connectionsPerHost))
        multi.set(CURLMOPT_MAXCONNECTS, max(1, configuration.connections))
        unsafe calotype_curl_multi_quit_quickly(multi.pointer)
    }

    deinit {
        unsafe idleHandles = []
        buffers.close()
        _ = unsafe curl_multi_cleanup(multi.pointer)
        // Not before: libcurl tells it of each socket that it lets go.
        withExtendedLifetime(readiness) {}
    }

    /// The life of a loader's thread.
    static func run(_ configuration: CurlLoader.Configuration, mailbox: Mailbox) {
        if serve(configuration, mailbox: mailbox) {
            mailbox.finish()
        } else {
            mailbox.giveUp("The system had no descriptor or no memory left for network transfers.")
        }
    }

    /// Runs a loop to its end, after which nothing of it is left; `false` when there can be none.
    private static func serve(_ configuration: CurlLoader.Configuration, mailbox: Mailbox) -> Bool {
        guard let loop = CurlLoop(configuration, mailbox: mailbox) else { return false }
        mailbox.attach(loop.readiness.waker)
        loop.run()
        let closed = ImageError(.loaderClosed, message: "The loader was closed while the transfer ran or waited.")
        let messages = mailbox.shut()
        for message in messages { message.refuse(closed) }
        mailbox.detach()
        loop.failAll(closed)
        return true
    }

    private func run() {
        var messages: [Mailbox.Message] = []
        while true {
            mailbox.collect(into: &messages)
            now = .now
            handle(&messages)
            startWaiting()
            readiness.work(now)
            takeFinished()
            endOverdue()
            publishTouched()
            // What just ended may have made room: then there is work, and no sleep.
            let hasStarted = startWaiting()
            wakeReaders()
            if hasStarted { continue }
            switch mailbox.rest() {
            case .closing: return
            case .asleep: readiness.wait(atMost: longestSleep)
            case .messages: readiness.look()
            }
        }
    }

    private func wakeReaders() {
        if unsafe wakes.count > 1 { unsafe wakes.reverse() }
        while let wake = unsafe wakes.popLast() { wake.wakeUp() }
    }

    // MARK: What the exchanges say

    /// The exchange has something to publish.
    func touch(_ exchange: Exchange) {
        guard !exchange.isTouched else { return }
        exchange.isTouched = true
        unsafe touched.append(exchange)
    }

    /// The reader is to be woken when libcurl has been told of everything.
    func wake(_ wake: BodyChannel.Wake) { unsafe wakes.append(wake) }

    /// libcurl was given a socket.
    func opened(_ socket: Int32) {
        readiness.opened(socket)
        keptConnections.opened(socket)
    }

    /// The socket of an HTTP/1 connection that an earlier transfer left and the next one takes.
    func takeKeptConnection(_ ends: KeptConnections.Ends) -> Int32? { keptConnections.take(ends) }

    /// libcurl is about to look a name up.
    func lookupBegins() { readiness.lookupBegins() }

    func multiplexes(_ host: WebAddress.Origin) { queue.multiplexes(host) }

    // MARK: Steps

    private func handle(_ messages: inout [Mailbox.Message]) {
        guard let first = messages.first else { return }
        let priority = first.transfer.priority
        let isOfOneKind = messages.count == 1 || messages.allSatisfy { $0.transfer.priority == priority }
        // Taken out one by one, the first one last, since what is only looked at is counted.
        if messages.count > 1 { messages.reverse() }
        while let message = messages.popLast() { handle(message, among: isOfOneKind ? messages.count + 1 : nil) }
    }

    /// So many messages are left, this one counted, that are all of one priority; `nil` when they are not.
    private func handle(_ message: consuming Mailbox.Message, among count: Int?) {
        let transfer = message.transfer
        switch message.kind {
        case .start:
            guard !transfer.isCancelled else { return }
            if let count, unsafe queue.startsAtOnce(transfer.hop.address.origin, among: count) {
                if !start(transfer) { unsafe queue.finished(transfer.hop.address.origin) }
                return
            }
            add(transfer)
        case .resume:
            if let exchange = unsafe transfer.exchange { goOn(exchange) }
        case .cancel:
            if let exchange = unsafe transfer.exchange {
                forget(exchange)
                abandon(exchange)
            } else {
                queue.remove(transfer)
            }
        }
    }

    /// Whether anything started.
    @discardableResult
    private func startWaiting() -> Bool {
        var hasStarted = false
        while let transfer = queue.next() {
            if transfer.isCancelled || !start(transfer) {
                unsafe queue.finished(transfer.hop.address.origin)
            } else {
                hasStarted = true
            }
        }
        return hasStarted
    }

    private func add(_ transfer: Transfer) {
        unsafe queue.add(transfer, host: transfer.hop.address.origin, priority: transfer.priority)
    }

    private func start(_ transfer: Transfer) -> Bool {
        if let policy = configuration.sourcePolicy, let problem = unsafe policy.problem(with: transfer.hop.address) {
            transfer.fail(SourcePolicy.error(transfer.source, problem))
            return false
        }
        guard let handle = unsafe idleHandles.popLast() ?? EasyHandle() else {
            let error = ImageError(.connectionFailed, message: "The system had no memory left for \(transfer.source).")
            transfer.fail(error)
            return false
        }
        let started = unsafe transfer.started ?? now
        unsafe transfer.started = started
        let exchange = Exchange(transfer, handle: handle, started: started, loop: self)
        handle.exchange = exchange
        nextLimit = min(nextLimit, exchange.deadline)
        let mayConnect = unsafe !queue.expectsConnection(transfer.hop.address.origin)
        unsafe handle.prepare(transfer.hop, mayConnect: mayConnect, configuration: configuration, usesProxies: usesProxies)
        guard unsafe curl_multi_add_handle(multi.pointer, handle.pointer) == CURLM_OK else {
            handle.rest()
            let error = ImageError(.connectionFailed, message: "The transfer of \(exchange.source) could not be started.")
            transfer.fail(error)
            return false
        }
        unsafe transfer.exchange = exchange
        exchange.place = unsafe running.count
        unsafe running.append(exchange)
        return true
    }

    private func takeFinished() {
        var code = CURLE_OK
        while let pointer = unsafe calotype_curl_next_finished(multi.pointer, &code) {
            guard let context = unsafe calotype_curl_info_private(pointer), let exchange = unsafe EasyHandle.at(context).exchange
            else { continue }
            finish(exchange, code)
        }
    }

    private func finish(_ exchange: Exchange, _ code: CURLcode) {
        if exchange.isOrphan {
            orphans[ObjectIdentifier(exchange)] = nil
            release(exchange)
            if exchange.keepsPlace { queue.finished(exchange.hop.address.origin) }
            return
        }
        forget(exchange)
        let outcome = outcome(of: exchange, code)
        if code == CURLE_OK, let ends = exchange.ends, let socket = exchange.handle.socketOfHTTP1 {
            keptConnections.add(ends, socket: socket)
        }
        release(exchange)
        let hasFoundConnection = code == CURLE_OK && !exchange.hasConnected
        switch consume outcome {
        case .end(let end):
            exchange.finish(end)
            queue.finished(exchange.hop.address.origin, hasFoundConnection: hasFoundConnection)
        case .again:
            queue.missedConnection(exchange.hop.address.origin)
            add(exchange.transfer)
            queue.finished(exchange.hop.address.origin)
        case .follow(let next):
            let left = exchange.hop.address.origin
            unsafe exchange.transfer.hop = next
            add(exchange.transfer)
            queue.finished(left, hasFoundConnection: hasFoundConnection)
        }
    }

    /// Ends the transfers whose time is up, or whose servers have been silent for too long.
    private func endOverdue() {
        guard nextLimit <= now, unsafe !running.isEmpty else { return }
        nextLimit = now + min(idleTimeout.map { $0 / 8 } ?? .seconds(60), .seconds(60))
        for exchange in unsafe running {
            let deadline = exchange.deadline
            guard deadline <= now || exchange.isSilent(for: idleTimeout) else {
                nextLimit = min(nextLimit, deadline)
                continue
            }
            forget(exchange)
            let failure = failure(of: exchange, CURLE_OPERATION_TIMEDOUT, deadline <= now ? "the time is up" : "nothing moves")
            abandon(exchange)
            exchange.finish(.failure(failure))
        }
    }

    /// How long there is nothing to do unless a socket, a timer or a message says otherwise.
    private var longestSleep: Duration? {
        if unsafe !touched.isEmpty { return Exchange.longestWait }
        return unsafe running.isEmpty ? nil : nextLimit - .now
    }

    private enum Outcome: ~Copyable {
        case end(Result<Void, any Error>)
        case follow(Hop)
        /// It needs a connection, and could not make one or found one that must not be used.
        case again
    }

    private func outcome(of exchange: Exchange, _ code: CURLcode) -> Outcome {
        if let failure = exchange.failure { return .end(.failure(failure)) }
        if exchange.missesConnection { return .again }
        // A redirect whose own body was too long to be read counts all the same.
        if !exchange.hasFinalHead, let location = exchange.handle.redirect, exchange.handle.isHeadWhole,
            code == CURLE_OK || code == CURLE_WRITE_ERROR
        {
            do {
                return .follow(
                    try Redirect.hop(
                        after: exchange.hop, status: exchange.handle.status, location: location, source: exchange.source))
            } catch {
                return .end(.failure(error))
            }
        }
        if code == CURLE_OK, exchange.hasFinalHead { return .end(.success(())) }
        // Versions of libcurl differ in what they call a connection for which no socket was given.
        if let refusal = exchange.refusal, !exchange.isConnected { return .end(.failure(refusal)) }
        let code = code == CURLE_OK ? CURLE_WEIRD_SERVER_REPLY : code
        return .end(.failure(failure(of: exchange, code, exchange.handle.takeErrorText())))
    }

    private func failure(of exchange: Exchange, _ code: CURLcode, _ detail: String) -> ImageError {
        let failure = CurlFailure(
            code: code.rawValue, detail: detail, source: exchange.source, host: exchange.hop.address.origin.host,
            elapsed: exchange.started.duration(to: .now), timeout: exchange.transfer.timeout,
            connectTimeout: configuration.connectTimeout, isConnected: exchange.isConnected,
            isRedirected: exchange.hop.redirects > 0)
        return failure.error
    }

    private func publishTouched() {
        guard unsafe !touched.isEmpty else { return }
        now = .now
        // Some are touched while this runs.
        unsafe swap(&touched, &publishing)
        for exchange in publishing {
            if exchange.mayWait(now) {
                unsafe touched.append(exchange)
            } else if exchange.publish() {
                goOn(exchange)
            }
        }
        publishing.removeAll(keepingCapacity: true)
    }

    private func goOn(_ exchange: Exchange) {
        guard exchange.isPaused else { return }
        exchange.isPaused = false
        let code = unsafe curl_easy_pause(exchange.handle.pointer, CURLPAUSE_CONT)
        // libcurl reports an error of the bytes that it had kept here, and nowhere else.
        if code != CURLE_OK { finish(exchange, code) }
    }

    /// Stops an exchange that nobody waits for any longer and closes its connection. A running name lookup cannot be stopped, and
    /// removing the handle would wait for it: such an exchange stays until the lookup is over, and then gets no socket. Each lookup
    /// holds a thread of the system's, so those beyond the limit for connections keep the places of others.
    private func abandon(_ exchange: Exchange) {
        if exchange.isLookingUp {
            exchange.becomeOrphan(keepsPlace: orphans.count >= max(1, configuration.connections))
            orphans[ObjectIdentifier(exchange)] = exchange
        } else {
            release(exchange)
        }
        if !exchange.keepsPlace { queue.finished(exchange.hop.address.origin) }
    }

    /// Takes the exchange out of those that run.
    private func forget(_ exchange: Exchange) {
        unsafe exchange.transfer.exchange = nil
        let last = unsafe running.removeLast()
        if last !== exchange { unsafe (running[exchange.place], last.place) = (last, exchange.place) }
    }

    /// Takes the handle off libcurl and keeps it for another exchange.
    private func release(_ exchange: Exchange) {
        _ = unsafe curl_multi_remove_handle(multi.pointer, exchange.handle.pointer)
        exchange.letGoOfHandle()
        if unsafe idleHandles.count < Self.mostIdleHandles { unsafe idleHandles.append(exchange.handle) }
    }

    private func failAll(_ error: ImageError) {
        let running = unsafe running
        for exchange in running + Array(orphans.values) {
            unsafe exchange.transfer.exchange = nil
            release(exchange)
        }
        for exchange in running { exchange.transfer.fail(error) }
        for transfer in queue.removeAll() { transfer.fail(error) }
        unsafe self.running = []
        orphans = [:]
        unsafe touched = []
    }
}

/// libcurl's own start, once per process.
enum CurlLibrary {
    static let isReady = calotype_curl_start() == CURLE_OK
}
