internal import CCalotypeCurl
internal import HTTPTypes
internal import ImageCore
internal import ImageNetworking

/// One request and its response on an easy handle, as the loop's thread sees it. What libcurl calls back ends up here.
final class Exchange {
    /// The most of a redirect's own body that is read for the sake of its connection, in bytes.
    private static let mostDiscarded = 64 << 10

    let transfer: Transfer
    let handle: EasyHandle
    let started: ContinuousClock.Instant
    /// The loop lets go of its exchanges before it ends.
    private let loop: CurlLoop
    /// Where the loop keeps it.
    var place = 0

    /// Whether the head is that of the answer itself, so that what follows is its body.
    private(set) var hasFinalHead = false
    /// Whether libcurl was told to stop taking bytes.
    var isPaused = false
    /// Whether a name lookup runs, which cannot be broken off.
    private(set) var isLookingUp = false
    /// Nobody wants the answer; only the name lookup keeps the exchange.
    private(set) var isOrphan = false
    /// Whether it counts as running nevertheless.
    private(set) var keepsPlace = false
    /// Why the exchange was broken off from this side.
    private(set) var failure: ImageError?
    /// Whether it needs a connection and may not make one, or found one that must not be used: then another exchange has to.
    private(set) var missesConnection = false
    /// The ends of its connection, where they are asked for.
    private(set) var ends: KeptConnections.Ends?
    /// Whether it made a connection, or tried to.
    private(set) var hasConnected = false
    /// Why an address was not connected to; an error only if no other address would do.
    private(set) var refusal: ImageError?
    var isTouched = false

    private var newHead: Transfer.Head?
    /// What came in since the last ``publish()``: whole chunks, and the one that is being filled, of which libcurl's callback
    /// fills what it was granted.
    private var newChunks = ChunkList()
    private var buffer: BodyBuffer?
    private var newCount = 0
    private var granted = 0
    private var touchedAt: ContinuousClock.Instant
    private var end: Result<Void, any Error>?
    /// The most that can be unread at the transfer: the reader only makes it less.
    private var mostUnread = 0
    /// What had moved when it was last looked at, and since when that has not grown.
    private var movedBytes: Int?
    private var silentSince: ContinuousClock.Instant
    private var received = 0
    private var discarded = 0

    init(_ transfer: Transfer, handle: EasyHandle, started: ContinuousClock.Instant, loop: CurlLoop) {
        self.transfer = transfer
        self.handle = handle
        self.started = started
        touchedAt = started
        silentSince = loop.now
        self.loop = loop
    }

    /// The request's URL, as errors name it.
    var source: String { transfer.source }

    /// The request that runs.
    var hop: Hop { _read { yield unsafe transfer.hop } }

    /// Ends the exchange; the reader hears of it at the next ``publish()``.
    func finish(_ end: Result<Void, any Error>) {
        self.end = end
        loop.touch(self)
    }

    /// Hands what came in since the last call to the reader, whom the loop wakes. Returns whether libcurl may go on after a pause.
    func publish() -> Bool {
        isTouched = false
        takeGrantBack()
        if let buffer = buffer.take() { newChunks.append(buffer.chunk) }
        newCount = 0
        let (unread, mustWait, wake) = transfer.handOver(head: newHead.take(), chunks: &newChunks, end: end)
        mostUnread = unread
        if let wake { loop.wake(wake) }
        return isPaused && !mustWait && end == nil
    }

    /// Whether what came in is better handed over together with what follows: waking the reader costs more than a few
    /// packets do. Never for long, so that nobody notices.
    func mayWait(_ now: ContinuousClock.Instant) -> Bool {
        guard end == nil, !isPaused else { return false }
        takeGrantBack()
        return newCount < BodyBuffers.length && now - touchedAt < Self.longestWait
    }

    /// Whether there is or was a connection, TLS included. libcurl tells no time for one that is used again.
    var isConnected: Bool {
        handle.isConnected
            || handle.offset(hop.address.origin.isSecure ? CURLINFO_APPCONNECT_TIME_T : CURLINFO_CONNECT_TIME_T) > 0
    }

    /// When its time is up: that of all exchanges of a chain of redirects together.
    var deadline: ContinuousClock.Instant { started + transfer.timeout.tellable }

    /// Whether the server neither sends nor takes anything, for at least so long, though it could.
    func isSilent(for limit: Duration?) -> Bool {
        guard let limit else { return false }
        let moved = handle.movedBytes
        if isPaused || moved == nil || moved != movedBytes { (movedBytes, silentSince) = (moved, loop.now) }
        return loop.now - silentSince >= limit
    }

    /// How long what came in is kept for what follows.
    static let longestWait = Duration.milliseconds(1)

    // MARK: What libcurl calls

    /// The server begins to answer.
    func headBegins() { isLookingUp = false }

    /// Takes what `head` came to, when it is whole or cannot be.
    func receive(_ progress: ResponseHead.Progress) -> Bool {
        switch progress {
        case .tooLarge:
            failure = ImageError(
                .badResponse, message: "The head of the response to \(source) is larger than \(ResponseHead.largest) bytes.")
            return false
        case .more: return true
        // Trailers come the same way after the body.
        case .whole where hasFinalHead: return true
        case .whole:
            if handle.isHeadInterim || handle.redirect != nil { return true }
            hasFinalHead = true
            // libcurl would take the last one, as far as it begins with a number.
            if handle.hasBadLength {
                failure = .badLength(source)
                return false
            }
            if let length = handle.contentLength, length > transfer.limit, hop.method != .head, handle.status != 304 {
                failure = .tooLarge(source, announced: length, limit: transfer.limit)
                return false
            }
            guard let response = handle.response() else {
                failure = ImageError(
                    .badResponse, message: "The response to \(source) has more than \(ResponseHead.mostFields) header fields.")
                return false
            }
            newHead = Transfer.Head(
                response: response, redirectedTo: hop.redirects > 0 ? hop.address.text : nil, timing: handle.timing)
            if hop.address.origin.isSecure, handle.long(CURLINFO_HTTP_VERSION) >= 3 { loop.multiplexes(hop.address.origin) }
            touch()
            return true
        }
    }

    /// The number of bytes taken, or what makes libcurl pause or fail.
    func receive(body bytes: UnsafeRawBufferPointer) -> Int {
        let count = bytes.count
        guard hasFinalHead else {
            discarded += count
            return discarded <= Self.mostDiscarded ? count : 0
        }
        takeGrantBack()
        guard count <= transfer.limit - received else {
            failure = .tooLarge(source, announced: nil, limit: transfer.limit)
            return 0
        }
        let waiting = mostUnread + newCount
        let window = loop.configuration.window
        // With nothing that is still to be handed over, a pause needs something unread, or nobody would ever end it: also in
        // a window that is smaller than what libcurl brings at a time.
        let allowed = max(newCount > 0 ? .min : 0, window - newCount - count)
        if waiting > 0, waiting + count > window, transfer.pauses(above: allowed) {
            isPaused = true
            touch()
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        unsafe store(bytes)
        touch()
        return count
    }

    private func store(_ bytes: UnsafeRawBufferPointer) {
        received += bytes.count
        newCount += bytes.count
        var rest = unsafe bytes
        while true {
            let filling = buffer.take() ?? loop.buffers.take()
            let taken = min(rest.count, filling.freeRoom)
            if let start = rest.baseAddress { unsafe filling.room.copyMemory(from: start, byteCount: taken) }
            filling.filled(taken)
            guard taken < rest.count else {
                grant(filling)
                buffer = filling
                return
            }
            newChunks.append(filling.chunk)
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
        }
    }

    /// Lets libcurl's callback fill the buffer until one of the questions that ``receive(body:)`` asks is to be asked.
    private func grant(_ buffer: BodyBuffer) {
        let untilPause = loop.configuration.window - mostUnread - newCount
        granted = max(0, min(buffer.freeRoom, transfer.limit - received, untilPause))
        unsafe handle.grant(granted, at: buffer.room)
    }

    private func takeGrantBack() {
        guard granted > 0 else { return }
        let taken = granted - handle.freeRoom
        granted = 0
        unsafe handle.grant(0, at: nil)
        received += taken
        newCount += taken
        buffer?.filled(taken)
    }

    /// libcurl has let go of the handle, which may serve another exchange from here on.
    func letGoOfHandle() {
        takeGrantBack()
        handle.rest()
    }

    /// Nobody wants the answer any more, and a name lookup runs.
    func becomeOrphan(keepsPlace: Bool) {
        (isOrphan, self.keepsPlace) = (true, keepsPlace)
        handle.forbidSending()
    }

    /// Whether the request may be sent over the connection with these ends.
    func maySend(over ends: KeptConnections.Ends) -> Bool {
        self.ends = ends
        if let socket = loop.takeKeptConnection(ends), !hasConnected { missesConnection = handle.hasInput(socket) }
        return !missesConnection
    }

    private func touch() {
        if !isTouched { touchedAt = loop.now }
        loop.touch(self)
    }

    /// Whether a name may be looked up.
    func lookupBegins() -> Bool {
        (isLookingUp, missesConnection) = (handle.told.mayConnect, !handle.told.mayConnect)
        if isLookingUp { loop.lookupBegins() }
        return isLookingUp
    }

    /// The socket to connect with; `nil` forbids the address.
    func openSocket(for address: UnsafePointer<curl_sockaddr>) -> Int32? {
        isLookingUp = false
        guard !isOrphan else { return nil }
        if let policy = loop.configuration.sourcePolicy,
            let problem = unsafe policy.problem(with: calotype_curl_address(address).flatMap { unsafe IPAddress($0) })
        {
            refusal = SourcePolicy.error(source, problem)
            return nil
        }
        guard handle.told.mayConnect else {
            missesConnection = true
            return nil
        }
        hasConnected = true
        let socket = unsafe calotype_curl_open_socket(address)
        loop.opened(socket)
        return socket
    }
}

// libcurl's callbacks. Their context is the EasyHandle, or what it keeps for them, which outlives each call; they run on the
// loop's thread, inside curl_multi_socket_action, curl_easy_pause or curl_multi_remove_handle.

func curlReceivesHeadLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count).assumingMemoryBound(to: UInt8.self)
    let incoming = unsafe context.assumingMemoryBound(to: EasyHandle.Incoming.self)
    let progress = unsafe incoming.pointee.head.append(line)
    if progress == .more, unsafe incoming.pointee.hasBegun { return size * count }
    unsafe incoming.pointee.hasBegun = true
    guard let exchange = unsafe incoming.pointee.handle.exchange else { return 0 }
    exchange.headBegins()
    return exchange.receive(progress) ? size * count : 0
}

func curlReceivesBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
    let incoming = unsafe context.assumingMemoryBound(to: EasyHandle.Incoming.self)
    let length = size * count
    if let room = unsafe incoming.pointee.room, unsafe incoming.pointee.free >= length {
        unsafe room.copyMemory(from: bytes, byteCount: length)
        unsafe incoming.pointee.room = unsafe room + length
        unsafe incoming.pointee.free -= length
        return length
    }
    guard let exchange = unsafe incoming.pointee.handle.exchange else { return 0 }
    return unsafe exchange.receive(body: UnsafeRawBufferPointer(start: bytes, count: length))
}

func curlBeginsLookup(
    _ resolver: UnsafeMutableRawPointer?, _ reserved: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context = unsafe context, let exchange = unsafe EasyHandle.at(context).exchange else { return 0 }
    return exchange.lookupBegins() ? 0 : 1
}

func curlOpensSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context = unsafe context, let address = unsafe address, let exchange = unsafe EasyHandle.at(context).exchange,
        let socket = unsafe exchange.openSocket(for: address)
    else { return -1 }
    return socket
}

func curlIsReadyToSend(
    _ context: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?, _ local: UnsafeMutablePointer<CChar>?,
    _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
    guard let incoming = unsafe context?.assumingMemoryBound(to: EasyHandle.Incoming.self) else { return CURL_PREREQFUNC_ABORT }
    unsafe incoming.pointee.isConnected = true
    guard unsafe incoming.pointee.maySend else { return CURL_PREREQFUNC_ABORT }
    guard let remote = unsafe remote, let exchange = unsafe incoming.pointee.handle.exchange else {
        return CURL_PREREQFUNC_OK
    }
    let ends = unsafe KeptConnections.Ends(
        remoteAddress: String(cString: remote), remotePort: remotePort, localPort: localPort)
    return exchange.maySend(over: ends) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}
