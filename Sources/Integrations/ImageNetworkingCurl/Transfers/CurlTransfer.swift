internal import CCalotypeCurl
internal import HTTPTypes
internal import ImageCore
internal import ImageNetworking

/// One request and its response on an easy handle: one hop of a fetch. For the loop's thread alone.
final class CurlTransfer {
    /// The most that is read of a redirect's own body to keep its connection usable, in bytes.
    private static let maximumDiscardedBytes = 64 << 10
    /// How long received bytes wait for more before they are handed over, and how many bytes do not wait.
    static let longestDelay = Duration.milliseconds(1)
    private static let maximumDelayedBytes = 64 << 10

    let fetch: Fetch
    let handle: EasyHandle
    /// The loop releases its transfers before it ends.
    private let loop: CurlLoop

    /// Whether the headers of the final response are complete, so that a body follows.
    private(set) var hasFinalHead = false
    /// Whether libcurl has stopped receiving the body.
    var isPaused = false
    /// Whether a name lookup runs, which cannot be stopped.
    private(set) var isLookingUp = false
    /// Whether the fetch has ended and only a running name lookup keeps the transfer.
    private(set) var isDetached = false
    /// Whether a detached transfer still counts as running.
    private(set) var occupiesSlot = false
    /// Why the transfer was stopped from this side.
    private(set) var failure: ImageError?
    /// Whether libcurl chose a connection that must not be used, so that the request has to be sent over another one.
    private(set) var hasUnusableConnection = false
    /// The ends of the connection.
    private var ends: KeptConnections.Ends?
    /// Why an address was not connected to; an error only if no other address works.
    private(set) var refusal: ImageError?
    /// Whether the loop will call ``publish()``.
    var hasUpdates = false

    /// The sockets that libcurl was given for a new connection: one for each address that it tried.
    private var openedSockets: [Int32] = []
    /// Whether a connection was made or reused, TLS included.
    private var hasConnection = false
    private var newHead: Fetch.Head?
    /// The bytes of the body since the last ``publish()``.
    private var newBytes = Data()
    private var firstUpdate: ContinuousClock.Instant
    private var end: Result<Void, any Error>?
    /// An upper bound of what the reader has not read: only ``publish()`` adds to that.
    private var maximumUnread = 0
    /// The bytes of the request's body that were sent when that was last looked at.
    private var sentBytes = 0
    /// Undoes the content codings of the body; `nil` without one, or where libcurl does.
    private var decoder: ContentDecoder?
    private var received = 0
    private var discarded = 0

    init(_ fetch: Fetch, handle: EasyHandle, loop: CurlLoop) {
        self.fetch = fetch
        self.handle = handle
        firstUpdate = loop.now
        self.loop = loop
        noteProgress()
    }

    /// The requested URL, as errors name it.
    var source: String { fetch.source }

    /// The request that runs.
    var hop: Hop { unsafe fetch.hop }

    // MARK: For the loop

    /// Ends the transfer; the reader gets the end at the next ``publish()``.
    func finish(_ end: Result<Void, any Error>) {
        self.end = end
        update()
    }

    /// Hands what was received since the last call to the reader.
    ///
    /// - Returns: whether libcurl may continue after a pause.
    func publish() -> Bool {
        hasUpdates = false
        let bytes = newBytes
        newBytes = Data()
        let receipt = fetch.publish(head: newHead.take(), bytes: bytes, end: end)
        maximumUnread = receipt?.unread ?? 0
        guard end == nil, receipt != nil else { return false }
        return isPaused && receipt?.isPaused == false
    }

    /// Whether to hand over what was received together with what follows: waking the reader costs more than a few
    /// packets.
    func shouldWait(_ now: ContinuousClock.Instant) -> Bool {
        end == nil && !isPaused && newBytes.count < Self.maximumDelayedBytes && now - firstUpdate < Self.longestDelay
    }

    /// Whether there is or was a connection, TLS included. libcurl reports no connect time for a reused one.
    var isConnected: Bool {
        hasConnection
            || handle.offset(hop.address.origin.isSecure ? CURLINFO_APPCONNECT_TIME_T : CURLINFO_CONNECT_TIME_T) > 0
    }

    /// The server's silence begins again.
    func noteProgress() { unsafe fetch.lastProgress = loop.now }

    /// Whether a body is sent, or was sent without a response yet.
    var isSendingBody: Bool { hop.body != nil && !hasFinalHead }

    /// Whether the server has accepted more of the request's body since the last call.
    func hasSentMore() -> Bool {
        guard isSendingBody else { return false }
        let before = sentBytes
        sentBytes = handle.offset(CURLINFO_SIZE_UPLOAD_T)
        return sentBytes != before
    }

    /// The fetch has ended while a name lookup runs. Nothing is sent when the lookup is over.
    func detach(occupiesSlot: Bool) { (isDetached, self.occupiesSlot) = (true, occupiesSlot) }

    private func update() {
        if !hasUpdates { firstUpdate = loop.now }
        loop.addUpdated(self)
    }

    // MARK: For libcurl's callbacks

    /// Takes a line of the response's headers or trailers. Returns whether to continue.
    func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
        isLookingUp = false
        noteProgress()
        switch unsafe handle.headers.append(line) {
        case .incomplete:
            // A part of coded bytes cannot be decoded (RFC 9110, section 14.2). libcurl reads this before each line.
            if handle.headers.status == 206 { handle.set(CURLOPT_HTTP_CONTENT_DECODING, 0) }
            return true
        case .complete:
            rememberConnection()
            // Trailers arrive the same way, after the body.
            if hasFinalHead || handle.headers.isInterim || redirect != nil { return true }
            if mayDecodeByLibrary, handle.headers.needsLibraryToDecode { return false }
            hasFinalHead = true
            do throws(ImageError) {
                newHead = try head()
            } catch {
                failure = error
                return false
            }
            if hop.address.origin.isSecure, handle.long(CURLINFO_HTTP_VERSION) >= 3 { loop.queue.multiplexes(hop.address.origin) }
            update()
            return true
        case .tooLarge:
            failure = ImageError(
                .badResponse,
                message: "The response headers of \(source) are larger than the limit of \(ResponseHeaders.maximumBytes) bytes.")
            return false
        }
    }

    /// Remembers a new HTTP/1 connection. That is before the transfer ends, because libcurl may then give the
    /// connection to another transfer at once. Earlier, the version of HTTP is not known.
    private func rememberConnection() {
        guard !openedSockets.isEmpty, let ends, handle.long(CURLINFO_HTTP_VERSION) < 3 else { return }
        loop.keptConnections.add(ends, of: openedSockets)
        openedSockets = []
    }

    /// Where the response redirects, if that is followed; `nil` otherwise.
    var redirect: String? { loop.configuration.followsRedirects ? handle.headers.redirect : nil }

    /// Whether the request may be sent once more, so that libcurl undoes the codings of the body.
    var mayDecodeByLibrary: Bool {
        !hasFinalHead && !hop.decodesByLibrary && hop.method == .get && handle.headers.status != 206
    }

    /// Whether the codings of the body ended where the transfer did.
    var hasWholeBody: Bool { decoder?.isComplete != false }

    /// The error for a body whose codings cannot be undone.
    var codingError: ImageError { .badCoding(of: source, host: hop.address.origin.host) }

    /// Prepares to undo the codings of the body. A part of coded bytes cannot be decoded (RFC 9110, section 14.2).
    private func beginDecoding() throws(ImageError) {
        guard handle.headers.status != 206, hop.method != .head else { return }
        let codings = handle.headers.codings
        guard codings.count <= ContentDecoder.maximumCodings else { throw codingError }
        if !hop.decodesByLibrary { decoder = ContentDecoder(codings) }
        if codings.isEmpty || decoder != nil || hop.decodesByLibrary { handle.headers.removeContentCoding() }
    }

    private func head() throws(ImageError) -> Fetch.Head {
        try beginDecoding()
        // libcurl would use the last of several lengths, and the digits that a malformed one begins with.
        if handle.headers.hasBadLength { throw .badLength(source) }
        if let length = handle.headers.contentLength, length > fetch.limit, hop.method != .head, handle.headers.status != 304 {
            throw .tooLarge(source, announced: length, limit: fetch.limit)
        }
        if handle.headers.hasTooManyFields {
            throw ImageError(
                .badResponse, message: "The response to \(source) has more than \(ResponseHeaders.maximumFields) header fields.")
        }
        return Fetch.Head(
            response: handle.headers.response, redirectedTo: hop.redirects.isEmpty ? nil : hop.address.text,
            redirects: hop.redirects, timing: handle.timing)
    }

    /// Takes bytes of the body. Returns their number, or what makes libcurl pause or fail.
    func receive(body bytes: UnsafeRawBufferPointer) -> Int {
        let count = bytes.count
        noteProgress()
        guard hasFinalHead else {
            discarded += count
            return discarded <= Self.maximumDiscardedBytes ? count : 0
        }
        if mustPause(before: count) {
            isPaused = true
            update()
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        guard let decoder else { return unsafe keep(bytes) ? count : 0 }
        if unsafe decoder.decode(bytes, keep) { return count }
        failure = failure ?? codingError
        return 0
    }

    /// Keeps bytes for the reader. Returns whether they are within the limit.
    private func keep(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= fetch.limit - received else {
            failure = .tooLarge(source, announced: nil, limit: fetch.limit)
            return false
        }
        // Only a small body, since a chunk that holds less than it reserves wastes memory while it is unread.
        if received == 0, let length = handle.headers.contentLength, length <= Self.maximumDelayedBytes {
            newBytes.reserveCapacity(length)
        }
        received += bytes.count
        unsafe newBytes.append(contentsOf: bytes)
        update()
        return true
    }

    private func mustPause(before count: Int) -> Bool {
        let unread = maximumUnread + newBytes.count
        let window = loop.configuration.window
        guard unread > 0, unread + count > window else { return false }
        // Without new bytes, a pause needs something unread, or the reader would never end it: also in a window that is
        // smaller than what libcurl receives at a time.
        return fetch.pauses(above: max(newBytes.isEmpty ? 0 : .min, window - newBytes.count - count))
    }

    func lookupBegins() { isLookingUp = true }

    /// Opens the socket to connect with; `nil` refuses the address.
    func openSocket(for address: UnsafePointer<curl_sockaddr>) -> Int32? {
        isLookingUp = false
        guard !isDetached else { return nil }
        if let policy = loop.configuration.sourcePolicy,
            let problem = unsafe policy.problem(with: clt_curl_address(address).flatMap { unsafe IPAddress($0) })
        {
            refusal = SourcePolicy.error(source, problem)
            return nil
        }
        let socket = unsafe clt_curl_open_socket(address)
        openedSockets.append(socket)
        loop.keptConnections.opened(socket)
        return socket
    }

    /// Whether the request may be sent over the connection with these ends.
    func maySendRequest(over ends: KeptConnections.Ends?) -> Bool {
        hasConnection = true
        noteProgress()
        guard !isDetached else { return false }
        self.ends = ends
        if openedSockets.isEmpty, let ends, let socket = loop.keptConnections.socket(of: ends) {
            hasUnusableConnection = handle.hasInput(socket)
        }
        return !hasUnusableConnection
    }
}
