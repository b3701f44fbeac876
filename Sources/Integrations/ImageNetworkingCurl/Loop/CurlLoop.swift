internal import CCalotypeCurl
internal import ImageCore
internal import ImageNetworking

/// The loop that drives all transfers of a loader on one thread. Each turn takes messages, starts transfers, lets
/// libcurl work, and hands over what was received, in that order; then it sleeps until a socket, a timer or a message
/// wakes it.
final class CurlLoop {
    let multi: MultiHandle
    let configuration: CurlLoader.Configuration
    let limits: CurlLoader.Limits
    /// Whether libcurl looks for proxies in the environment, which takes a while for every transfer.
    let usesProxies: Bool
    /// `nil` if cookies are not kept.
    let cookies: CookieJar?
    /// The fetches that wait for their turn.
    var queue: TransferQueue<Fetch>
    var running: [ObjectIdentifier: CurlTransfer] = [:]
    /// Cancelled transfers whose name lookup still runs. They get no socket.
    var detached: [ObjectIdentifier: CurlTransfer] = [:]
    var keptConnections = KeptConnections()
    /// When the turn began.
    private(set) var now = ContinuousClock.now
    /// When timeouts are checked next: not later than the first of them ends if its fetch makes no progress.
    /// Timers of libcurl for each transfer would cost several times as much.
    var nextTimeoutCheck = ContinuousClock.now

    private let mailbox: Mailbox
    /// The transfers that have something to hand over.
    private var updated: [CurlTransfer] = []

    /// Starts libcurl, once per process.
    private static let isLibraryReady = clt_curl_start() == CURLE_OK

    /// `nil` when libcurl has no memory left, or the system no descriptor.
    init?(_ configuration: CurlLoader.Configuration, _ limits: CurlLoader.Limits, mailbox: Mailbox) {
        guard Self.isLibraryReady, let multi = MultiHandle() else { return nil }
        (self.multi, self.mailbox, self.configuration, self.limits) = (multi, mailbox, configuration, limits)
        usesProxies =
            configuration.usesProxyOfEnvironment && configuration.sourcePolicy == nil
            && ProcessInfo.processInfo.environment.contains { $0.key.lowercased().hasSuffix("_proxy") && !$0.value.isEmpty }
        cookies = configuration.storesCookies ? CookieJar() : nil
        queue = TransferQueue(limits)
        multi.set(CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        multi.set(CURLMOPT_MAX_HOST_CONNECTIONS, limits.connectionsPerHost)
        multi.set(CURLMOPT_MAXCONNECTS, limits.connections)
        unsafe clt_curl_multi_quit_quickly(multi.pointer)
    }

    deinit { _ = unsafe curl_multi_cleanup(multi.pointer) }

    /// The body of a loader's thread.
    static func run(_ configuration: CurlLoader.Configuration, _ limits: CurlLoader.Limits, mailbox: Mailbox) {
        if serve(configuration, limits, mailbox: mailbox) {
            mailbox.finish()
        } else {
            mailbox.failToStart("The system has no descriptor or no memory left for network transfers.")
        }
    }

    /// Runs a loop to its end and frees everything of it. Returns `false` when it could not be made.
    private static func serve(
        _ configuration: CurlLoader.Configuration, _ limits: CurlLoader.Limits, mailbox: Mailbox
    ) -> Bool {
        guard let loop = CurlLoop(configuration, limits, mailbox: mailbox) else { return false }
        mailbox.attach(loop.multi)
        loop.run()
        return true
    }

    private func run() {
        var messages: [Mailbox.Message] = []
        while mailbox.collect(into: &messages) {
            now = .now
            for message in messages { handle(message) }
            messages.removeAll(keepingCapacity: true)
            startWaiting()
            multi.perform()
            takeFinished()
            endOverdue()
            // A transfer that ended may have made room for the next one.
            let hasStarted = startWaiting()
            // Last, since the readers that it wakes may take the processor.
            publishUpdated()
            if !hasStarted, mailbox.maySleep() { multi.wait(atMost: longestSleep) }
        }
        let error = ImageError(.loaderClosed, message: "The loader was closed before the transfer was complete.")
        for message in messages { message.reject(error) }
        failAll(error)
    }

    /// How long there is nothing to do without a socket, a timer or a message.
    private var longestSleep: Duration? {
        if !updated.isEmpty { return CurlTransfer.longestDelay }
        return running.isEmpty && queue.isEmpty ? nil : nextTimeoutCheck - .now
    }

    private func publishUpdated() {
        guard !updated.isEmpty else { return }
        now = .now
        // Further transfers may be added meanwhile.
        let transfers = updated
        updated = []
        for transfer in transfers {
            if transfer.shouldWait(now) {
                updated.append(transfer)
            } else if transfer.publish() {
                resume(transfer)
            }
        }
    }

    private func failAll(_ error: ImageError) {
        for transfer in updated { _ = transfer.publish() }
        for transfer in Array(running.values) + Array(detached.values) {
            unsafe transfer.fetch.transfer = nil
            release(transfer)
        }
        for transfer in running.values { transfer.fetch.fail(error) }
        for fetch in queue.waiting { fetch.fail(error) }
        (running, detached, updated) = ([:], [:], [])
    }

    // MARK: For the transfers

    /// The transfer has something to hand over.
    func addUpdated(_ transfer: CurlTransfer) {
        guard !transfer.hasUpdates else { return }
        transfer.hasUpdates = true
        updated.append(transfer)
    }
}
