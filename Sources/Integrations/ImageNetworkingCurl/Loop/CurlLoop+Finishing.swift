internal import CCalotypeCurl
internal import ImageCore
internal import ImageNetworking

/// How transfers end: by themselves, by a timeout, or because they were cancelled.
extension CurlLoop {
    private enum Outcome {
        case end(Result<Void, any Error>)
        case redirect(Hop)
        /// The connection that libcurl chose must not be used: send the request again, over another one.
        case retry
    }

    func takeFinished() {
        var code = CURLE_OK
        while let pointer = unsafe clt_curl_next_finished(multi.pointer, &code) {
            if let transfer = unsafe EasyHandle.transfer(clt_curl_info_private(pointer)) { finish(transfer, code) }
        }
    }

    func finish(_ transfer: CurlTransfer, _ code: CURLcode) {
        let origin = transfer.hop.address.origin
        if transfer.isDetached {
            detached[ObjectIdentifier(transfer)] = nil
            release(transfer)
            if transfer.occupiesSlot { queue.finished(origin) }
            return
        }
        removeRunning(transfer)
        let outcome = outcome(of: transfer, code)
        release(transfer)
        switch outcome {
        case .end(let end): transfer.finish(end)
        case .retry: enqueue(transfer.fetch)
        case .redirect(let next):
            unsafe transfer.fetch.hop = next
            enqueue(transfer.fetch)
        }
        queue.finished(origin)
    }

    /// Ends the fetches whose deadline is over, or that have made no progress for their timeout.
    func endOverdue() {
        guard nextTimeoutCheck <= now, !running.isEmpty || !queue.isEmpty else { return }
        nextTimeoutCheck = now + .seconds(60)
        for transfer in running.values {
            if transfer.isPaused || transfer.hasSentMore() { transfer.noteProgress() }
            if isOverdue(transfer.fetch) {
                end(transfer, transfer.fetch.timeLimitError(host: transfer.hop.address.origin.host))
            } else if transfer.isSendingBody {
                // libcurl does not report what is sent, so that has to be looked at.
                nextTimeoutCheck = min(nextTimeoutCheck, now + transfer.fetch.timeout / 16)
            }
        }
        let overdue = queue.removeAll { $0.isCancelled || isOverdue($0) }
        for fetch in overdue where !fetch.isCancelled {
            fetch.fail(fetch.timeLimitError(host: unsafe fetch.hop.address.origin.host, causes: ["It waited for a connection."]))
        }
    }

    /// Whether a time limit has ended the fetch; if not, the next check is not later than that.
    private func isOverdue(_ fetch: Fetch) -> Bool {
        let expiry = fetch.expiry(at: now)
        if expiry > now { nextTimeoutCheck = min(nextTimeoutCheck, expiry) }
        return expiry <= now
    }

    private func end(_ transfer: CurlTransfer, _ error: ImageError) {
        removeRunning(transfer)
        abandon(transfer)
        transfer.finish(.failure(error))
    }

    private func outcome(of transfer: CurlTransfer, _ code: CURLcode) -> Outcome {
        if let failure = transfer.failure { return .end(.failure(failure)) }
        if transfer.hasUnusableConnection { return .retry }
        let headers = transfer.handle.headers
        // A redirect whose own body is too long to read is valid too.
        if !transfer.hasFinalHead, headers.isComplete, let location = transfer.redirect,
            code == CURLE_OK || code == CURLE_WRITE_ERROR
        {
            do {
                return .redirect(
                    try Redirect.hop(
                        after: transfer.hop, response: headers.response, location: location, source: transfer.source))
            } catch {
                var error = error
                if error.code == .tooManyRedirects, headers.setsCookie, cookies == nil {
                    error.message += RedirectLimit.cookieHint
                }
                return .end(.failure(error))
            }
        }
        if code == CURLE_OK, transfer.hasFinalHead {
            return .end(transfer.hasWholeBody ? .success(()) : .failure(transfer.codingError))
        }
        if transfer.mayDecodeByLibrary, headers.isComplete, headers.needsLibraryToDecode, code == CURLE_WRITE_ERROR {
            var again = transfer.hop
            again.decodesByLibrary = true
            return .redirect(again)
        }
        // Versions of libcurl differ in the error for a connection without a socket.
        if let refusal = transfer.refusal, !transfer.isConnected { return .end(.failure(refusal)) }
        let code = code == CURLE_OK ? CURLE_WEIRD_SERVER_REPLY : code
        return .end(.failure(failure(of: transfer, code, transfer.handle.errorMessage)))
    }

    private func failure(of transfer: CurlTransfer, _ code: CURLcode, _ detail: String) -> ImageError {
        let failure = CurlFailure(
            code: code.rawValue, detail: detail, source: transfer.source, host: transfer.hop.address.origin.host,
            connectTimeout: configuration.connectTimeout, isConnected: transfer.isConnected,
            isRedirected: !transfer.hop.redirects.isEmpty, proxyStatus: transfer.handle.long(CURLINFO_HTTP_CONNECTCODE))
        return failure.error
    }

    /// Stops a transfer that is not wanted any more and closes its connection.
    ///
    /// A running name lookup cannot be stopped, and removing the handle would wait for it. Such a transfer stays until
    /// the lookup is over, and then gets no socket. Each lookup holds a thread of the system, so those beyond the limit
    /// for connections keep their slots.
    func abandon(_ transfer: CurlTransfer) {
        if transfer.isLookingUp {
            transfer.detach(occupiesSlot: detached.count >= limits.connections)
            detached[ObjectIdentifier(transfer)] = transfer
        } else {
            release(transfer)
        }
        if !transfer.occupiesSlot { queue.finished(transfer.hop.address.origin) }
    }

    func removeRunning(_ transfer: CurlTransfer) {
        unsafe transfer.fetch.transfer = nil
        running[ObjectIdentifier(transfer)] = nil
    }

    /// Removes the handle from libcurl.
    func release(_ transfer: CurlTransfer) {
        _ = unsafe curl_multi_remove_handle(multi.pointer, transfer.handle.pointer)
        transfer.handle.transfer = nil
    }
}
