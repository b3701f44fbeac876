internal import CCalotypeCurl
internal import HTTPTypes
internal import ImageCore

/// The loop that drives all transfers of a loader on one thread: it takes messages, starts what may start, lets libcurl
/// work, and publishes what came in, in that order, then sleeps until a socket, a timer or a message wakes it.
final class CurlLoop {
    /// More idle handles than this are not worth their memory.
    private static let mostIdleHandles = 64
    /// So many turns without sleep, and it looks at the sockets all the same.
    private static let turnsWithoutLook = 8

    private let multi: MultiHandle
    private let readiness: Readiness
    private let buffers = BodyBuffers()
    private let mailbox: Mailbox
    private let configuration: CurlLoader.Configuration
    /// Whether libcurl is to look for proxies in the environment, which takes a while if it must for every transfer.
    private let usesProxies: Bool
    private var queue: TransferQueue<Transfer>
    private var running: [Transfer: Exchange] = [:]
    /// Cancelled exchanges whose name lookup still runs. They get no socket.
    private var orphans: [ObjectIdentifier: Exchange] = [:]
    /// Where transfers stand that wait for the next request of their chain.
    private var redirected: [Transfer: (hop: Hop, started: ContinuousClock.Instant)] = [:]
    private var idleHandles: [EasyHandle] = []
    private var touched: [Exchange] = []
    private var isClosing = false

    /// `nil` when libcurl has no memory left.
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
    }

    deinit {
        idleHandles = []
        _ = unsafe curl_multi_cleanup(multi.pointer)
        // Not before: libcurl tells it of each socket that it lets go.
        withExtendedLifetime(readiness) {}
    }

    /// The life of a loader's thread.
    static func run(_ configuration: CurlLoader.Configuration, mailbox: Mailbox) {
        do {
            let loop = CurlLoop(configuration, mailbox: mailbox)
            if let loop {
                mailbox.attach(loop.readiness.waker)
                loop.run()
            }
            let closed = ImageError(.loaderClosed, message: "The loader was closed while the transfer ran or waited.")
            for message in mailbox.shut() { message.refuse(closed) }
            mailbox.detach()
            loop?.failAll(closed)
        }
        mailbox.finish()
    }

    private func run() {
        var turns = 0
        while true {
            for message in mailbox.collect() { handle(message) }
            if isClosing { return }
            startWaiting()
            readiness.work()
            takeFinished()
            publishTouched()
            // What just ended may have made room: then there is work, and no sleep.
            if startWaiting() { continue }
            turns += 1
            if mailbox.fallAsleep() {
                readiness.wait(atMost: touched.isEmpty ? nil : Exchange.longestWait)
                turns = 0
            } else if turns % Self.turnsWithoutLook == 0 {
                // Tasks that always have more to do must not keep the sockets from being looked at.
                readiness.look()
            }
        }
    }

    // MARK: What the exchanges say

    /// The exchange has something to publish.
    func touch(_ exchange: Exchange) {
        guard !exchange.isTouched else { return }
        exchange.isTouched = true
        touched.append(exchange)
    }

    /// libcurl was given a socket.
    func opened(_ socket: Int32) { readiness.opened(socket) }

    func multiplexes(_ host: WebAddress.Origin) { queue.multiplexes(host) }

    // MARK: Steps

    private func handle(_ message: Mailbox.Message) {
        switch message {
        case .close: isClosing = true
        case .job(let job, let lease): lease.run(job)
        case .start(let transfer):
            guard !transfer.isCancelled else { return }
            queue.add(transfer, host: transfer.firstHop.address.origin, priority: transfer.request.priority)
        case .resume(let transfer):
            if let exchange = running[transfer] { goOn(exchange) }
        case .cancel(let transfer):
            if let exchange = running.removeValue(forKey: transfer) {
                abandon(exchange)
            } else {
                redirected[transfer] = nil
                queue.remove(transfer)
            }
        }
    }

    /// Whether anything started.
    @discardableResult
    private func startWaiting() -> Bool {
        var hasStarted = false
        while let transfer = queue.next() {
            let (hop, started) =
                (redirected.isEmpty ? nil : redirected.removeValue(forKey: transfer)) ?? (transfer.firstHop, .now)
            if transfer.isCancelled || !start(transfer, hop, started) {
                queue.finished(hop.address.origin)
            } else {
                hasStarted = true
            }
        }
        return hasStarted
    }

    private func start(_ transfer: Transfer, _ hop: Hop, _ started: ContinuousClock.Instant) -> Bool {
        if let problem = configuration.sourcePolicy?.problem(with: hop.address) {
            transfer.publish(end: .failure(SourcePolicy.error(ImageSource.redacted(transfer.request.url), problem)))
            return false
        }
        guard let handle = idleHandles.popLast() ?? EasyHandle() else {
            let error = ImageError(.connectionFailed, message: "The system had no memory left for \(hop.address.text).")
            transfer.publish(end: .failure(error))
            return false
        }
        let exchange = Exchange(
            transfer, hop: hop, handle: handle, started: started, configuration: configuration, loop: self, buffers: buffers)
        let timeLeft = hop.timeLeft(of: transfer.request.timeout, elapsed: started.duration(to: .now))
        handle.prepare(for: exchange, timeout: timeLeft, configuration: configuration, usesProxies: usesProxies)
        guard unsafe curl_multi_add_handle(multi.pointer, handle.pointer) == CURLM_OK else {
            handle.rest()
            let error = ImageError(.connectionFailed, message: "The transfer of \(exchange.source) could not be started.")
            transfer.publish(end: .failure(error))
            return false
        }
        running[transfer] = exchange
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
            return
        }
        running[exchange.transfer] = nil
        let outcome = outcome(of: exchange, code)
        release(exchange)
        switch outcome {
        case .end(let end): exchange.finish(end)
        case .follow(let hop):
            redirected[exchange.transfer] = (hop, exchange.started)
            queue.add(exchange.transfer, host: hop.address.origin, priority: exchange.transfer.request.priority)
        }
        queue.finished(exchange.hop.address.origin)
    }

    private enum Outcome {
        case end(Result<Void, any Error>)
        case follow(Hop)
    }

    private func outcome(of exchange: Exchange, _ code: CURLcode) -> Outcome {
        if let failure = exchange.failure { return .end(.failure(failure)) }
        // A redirect whose own body was too long to be read counts all the same.
        if !exchange.hasFinalHead, let location = exchange.head.redirect, exchange.head.isWhole,
            code == CURLE_OK || code == CURLE_WRITE_ERROR
        {
            do {
                return .follow(
                    try Redirect.hop(
                        after: exchange.hop, status: exchange.head.status, location: location, source: exchange.source))
            } catch {
                return .end(.failure(error))
            }
        }
        if code == CURLE_OK, exchange.hasFinalHead { return .end(.success(())) }
        let handle = exchange.handle
        let connected = exchange.hop.address.origin.isSecure ? CURLINFO_APPCONNECT_TIME_T : CURLINFO_CONNECT_TIME_T
        // Versions of libcurl differ in what they call a connection for which no socket was given.
        if let refusal = exchange.refusal, handle.offset(connected) == 0 { return .end(.failure(refusal)) }
        let failure = CurlFailure(
            code: code == CURLE_OK ? CURLE_WEIRD_SERVER_REPLY.rawValue : code.rawValue, detail: handle.takeErrorText(),
            source: exchange.source, host: exchange.hop.address.origin.host, elapsed: exchange.started.duration(to: .now),
            timeout: exchange.transfer.request.timeout, connectTimeout: configuration.connectTimeout,
            isConnected: handle.offset(connected) > 0)
        return .end(.failure(failure.error))
    }

    private func publishTouched() {
        guard !touched.isEmpty else { return }
        let now = ContinuousClock.now
        var waiting: [Exchange] = []
        while let exchange = touched.popLast() {
            if exchange.mayWait(now) {
                waiting.append(exchange)
            } else if exchange.publish() {
                goOn(exchange)
            }
        }
        touched = waiting
    }

    private func goOn(_ exchange: Exchange) {
        guard exchange.isPaused else { return }
        exchange.isPaused = false
        _ = unsafe curl_easy_pause(exchange.handle.pointer, CURLPAUSE_CONT)
    }

    /// Stops an exchange that nobody wants and closes its connection. A running name lookup cannot be stopped, and
    /// removing the handle would wait for it: such an exchange stays until the lookup is over, and then gets no socket.
    private func abandon(_ exchange: Exchange) {
        if exchange.isLookingUp {
            exchange.isOrphan = true
            orphans[ObjectIdentifier(exchange)] = exchange
        } else {
            release(exchange)
        }
        queue.finished(exchange.hop.address.origin)
    }

    /// Takes the handle off libcurl and keeps it for another exchange.
    private func release(_ exchange: Exchange) {
        _ = unsafe curl_multi_remove_handle(multi.pointer, exchange.handle.pointer)
        exchange.handle.rest()
        if idleHandles.count < Self.mostIdleHandles { idleHandles.append(exchange.handle) }
    }

    private func failAll(_ error: ImageError) {
        for exchange in Array(running.values) + Array(orphans.values) { release(exchange) }
        for transfer in running.keys { transfer.publish(end: .failure(error)) }
        for transfer in queue.removeAll() { transfer.publish(end: .failure(error)) }
        running = [:]
        orphans = [:]
        touched = []
    }
}

/// libcurl's own start, once per process.
enum CurlLibrary {
    static let isReady = curl_global_init(Int(CURL_GLOBAL_SSL | CURL_GLOBAL_WIN32)) == CURLE_OK
}
