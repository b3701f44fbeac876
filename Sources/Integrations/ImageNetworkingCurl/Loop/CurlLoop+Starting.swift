internal import CCalotypeCurl
internal import ImageCore
internal import ImageNetworking

/// Messages, and how transfers start and pause.
extension CurlLoop {
    func handle(_ message: Mailbox.Message) {
        let fetch = message.fetch
        switch message.kind {
        case .start: if !fetch.isCancelled { enqueue(fetch) }
        case .resume: if let transfer = unsafe fetch.transfer { resume(transfer) }
        case .cancel:
            // A fetch that waits is dropped at its turn, or when the timeouts are checked.
            if let transfer = unsafe fetch.transfer {
                removeRunning(transfer)
                abandon(transfer)
            }
        }
    }

    func enqueue(_ fetch: Fetch) {
        unsafe fetch.lastProgress = now
        unsafe queue.add(fetch, host: fetch.hop.address.origin)
        nextTimeoutCheck = min(nextTimeoutCheck, fetch.expiry(at: now))
    }

    /// Starts the waiting fetches that may run. Returns whether there was any.
    @discardableResult
    func startWaiting() -> Bool {
        var hasStarted = false
        while let fetch = queue.next() {
            if fetch.isCancelled || !start(fetch) {
                unsafe queue.finished(fetch.hop.address.origin)
            } else {
                hasStarted = true
            }
        }
        return hasStarted
    }

    private func start(_ fetch: Fetch) -> Bool {
        let hop = unsafe fetch.hop
        if let policy = configuration.sourcePolicy, let problem = policy.problem(with: hop.address) {
            fetch.fail(SourcePolicy.error(fetch.source, problem))
            return false
        }
        guard let handle = EasyHandle(configuration, usesProxies: usesProxies, cookies: cookies) else {
            fetch.fail(ImageError(.connectionFailed, message: "There is not enough memory to load \(fetch.source)."))
            return false
        }
        let transfer = CurlTransfer(fetch, handle: handle, loop: self)
        handle.transfer = transfer
        handle.prepare(hop, configuration: configuration)
        guard unsafe curl_multi_add_handle(multi.pointer, handle.pointer) == CURLM_OK else {
            handle.transfer = nil
            fetch.fail(ImageError(.connectionFailed, message: "libcurl could not start the transfer of \(fetch.source)."))
            return false
        }
        unsafe fetch.transfer = transfer
        running[ObjectIdentifier(transfer)] = transfer
        return true
    }

    /// Lets libcurl receive again after a pause.
    func resume(_ transfer: CurlTransfer) {
        guard transfer.isPaused else { return }
        transfer.isPaused = false
        transfer.noteProgress()
        let code = unsafe curl_easy_pause(transfer.handle.pointer, CURLPAUSE_CONT)
        // libcurl reports an error in the bytes that it held back only here.
        if code != CURLE_OK { finish(transfer, code) }
    }
}
