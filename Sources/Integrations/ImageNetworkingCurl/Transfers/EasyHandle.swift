internal import CCalotypeCurl
internal import HTTPTypes
internal import ImageCore

internal import CalotypeSystem

/// One of libcurl's easy handles, reused from transfer to transfer. For the loop's thread alone.
@safe final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    /// What the callbacks work for, until it lets go of the handle.
    var exchange: Exchange?
    /// Whether options were set that the next transfer must not inherit.
    var isDirty = true
    /// What libcurl was told of a request, and knows until it is told otherwise.
    var told = Request()

    struct Request {
        var url = ""
        /// Whether it may make a connection, for which there is a time limit.
        var mayConnect = false
        /// Whether HTTP/2 is offered; then it waits for a connection that may carry several transfers.
        var mayMultiplex = false
        /// The request's own; `nil` when its header lines are to be set whatever they are.
        var fields: HTTPFields?
        /// Whether more is in the fields than is in anybody's.
        var maySayWho = false
        var hasBody = false
    }

    private var headers: UnsafeMutablePointer<curl_slist>?
    /// The address, taken apart: libcurl would do that for every transfer, and put it together again.
    private let address: OpaquePointer?
    private let errorText: UnsafeMutablePointer<CChar>
    /// What comes in, in memory of its own, by which libcurl's callbacks reach it.
    private let incoming: UnsafeMutablePointer<Incoming>

    /// How much libcurl receives at a time, in bytes.
    static let receivedAtATime = 64 << 10

    /// What comes in, and whose it is. Most of it ends here: it reaches no object, whose references would be counted, which
    /// costs more than the rest of a callback.
    @safe struct Incoming {
        var head = ResponseHead()
        /// Whether a line has come.
        var hasBegun = false
        /// Whether the request may still be sent.
        var maySend = true
        /// Whether there is a connection to send it on, TLS included.
        var isConnected = false
        /// Where the next bytes of the body go, and how many may without asking the exchange.
        var room: UnsafeMutableRawPointer?
        var free = 0
        unowned(unsafe) let handle: EasyHandle

        /// As before the first line.
        mutating func clear() {
            head.clear()
            (hasBegun, maySend, isConnected, free) = (false, true, false, 0)
            unsafe room = nil
        }
    }

    init?() {
        guard let pointer = unsafe curl_easy_init() else { return nil }
        unsafe address = unsafe curl_url()
        unsafe self.pointer = unsafe pointer
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        unsafe incoming = .allocate(capacity: 1)
        unsafe incoming.initialize(to: Incoming(handle: self))
    }

    deinit {
        unsafe curl_easy_cleanup(pointer)
        unsafe curl_url_cleanup(address)
        unsafe curl_slist_free_all(headers)
        unsafe errorText.deallocate()
        unsafe incoming.deinitialize(count: 1)
        unsafe incoming.deallocate()
    }

    // Of the head, as far as it came: each by itself, since to hand the head around counts what it holds.
    var status: Int { unsafe incoming.pointee.head.status }
    var isHeadInterim: Bool { unsafe incoming.pointee.head.isInterim }
    var isHeadWhole: Bool { unsafe incoming.pointee.head.isWhole }
    var contentLength: Int? { unsafe incoming.pointee.head.contentLength }
    var hasBadLength: Bool { unsafe incoming.pointee.head.hasBadLength }
    var redirect: String? { unsafe incoming.pointee.head.redirect }

    /// The head as a value; `nil` when it has too many fields.
    func response() -> HTTPResponse? { unsafe incoming.pointee.head.parsed() }

    /// Lets libcurl's callback put so many bytes of the body there. What it left of them is in ``freeRoom``.
    func grant(_ count: Int, at room: UnsafeMutableRawPointer?) {
        unsafe (incoming.pointee.room, incoming.pointee.free) = unsafe (room, count)
    }

    var freeRoom: Int { unsafe incoming.pointee.free }

    /// Whether a connection was made, or found and used again.
    var isConnected: Bool { unsafe incoming.pointee.isConnected }

    /// What was not sent yet is not to be sent at all.
    func forbidSending() { unsafe incoming.pointee.maySend = false }

    /// What callbacks that take what comes in get as their context.
    var incomingContext: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(incoming) }

    /// The transfer is over, and libcurl has let go of it. What may be secret in it is not kept for the next one.
    func rest() {
        exchange = nil
        unsafe incoming.pointee.clear()
        // Also the body that was sent, of which libcurl has a copy.
        if isDirty { reset() }
        guard isDirty || told.maySayWho else { return }
        setHeaders([])
        told.fields = nil
        told.maySayWho = false
    }

    /// The handle that libcurl's callback or list names.
    static func at(_ context: UnsafeMutableRawPointer) -> EasyHandle {
        unsafe Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
    }

    /// What callbacks get as their context.
    var context: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    func set(_ option: CURLoption, _ value: Int) { _ = unsafe calotype_curl_set_long(pointer, option, value) }

    func set(_ option: CURLoption, bytes: Int) { _ = unsafe calotype_curl_set_offset(pointer, option, bytes) }

    func set(_ option: CURLoption, _ value: String) { _ = unsafe calotype_curl_set_string(pointer, option, value) }

    func set(_ option: CURLoption, _ value: [UInt8]) {
        _ = unsafe value.withUnsafeBytes { unsafe calotype_curl_set_blob(pointer, option, $0.baseAddress, $0.count) }
    }

    /// Back to libcurl's defaults; what it knows of connections and names stays.
    func reset() {
        unsafe curl_easy_reset(pointer)
        unsafe errorText.pointee = 0
        _ = unsafe calotype_curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText)
        _ = unsafe calotype_curl_set_pointer(pointer, CURLOPT_PRIVATE, context)
    }

    /// Where the request goes. What libcurl cannot read it is to refuse in its own words.
    func setURL(_ url: String) {
        let flags = UInt32(CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME)
        let isRead = unsafe curl_url_set(address, CURLUPART_URL, url, flags) == CURLUE_OK
        _ = unsafe calotype_curl_set_url(pointer, isRead ? address : nil)
        if !isRead { set(CURLOPT_URL, url) }
    }

    /// Replaces the header lines of the request.
    func setHeaders(_ lines: [String]) {
        if lines.isEmpty, !hasHeaderLines { return }
        // What is freed is not cleared, and whoever gets the memory next may show it.
        var old = unsafe headers
        while let line = unsafe old {
            unsafe memset(line.pointee.data, 0, strlen(line.pointee.data))
            unsafe old = line.pointee.next
        }
        unsafe curl_slist_free_all(headers)
        unsafe headers = nil
        for line in lines { unsafe headers = unsafe curl_slist_append(headers, line) ?? headers }
        _ = unsafe calotype_curl_set_pointer(pointer, CURLOPT_HTTPHEADER, headers)
    }

    /// Whether libcurl was given any.
    var hasHeaderLines: Bool { unsafe headers != nil }

    /// What libcurl wrote about its last failure; empty when it wrote nothing.
    func takeErrorText() -> String {
        defer { unsafe errorText.pointee = 0 }
        return unsafe String(cString: errorText)
    }

    /// What libcurl measured so far of the request that it is at.
    var timing: TransferTiming {
        var timing = TransferTiming()
        timing.isReused = long(CURLINFO_NUM_CONNECTS) == 0
        timing.firstByte = .microseconds(offset(CURLINFO_STARTTRANSFER_TIME_T))
        guard !timing.isReused else { return timing }
        // All of its times count from the start of the request.
        let (found, connected) = (offset(CURLINFO_NAMELOOKUP_TIME_T), offset(CURLINFO_CONNECT_TIME_T))
        let secured = offset(CURLINFO_APPCONNECT_TIME_T)
        timing.nameLookup = .microseconds(found)
        timing.connect = .microseconds(max(0, connected - found))
        timing.secure = .microseconds(secured > 0 ? max(0, secured - connected) : 0)
        return timing
    }

    /// What was received and sent so far of the request that it is at, heads included, in bytes; `nil` before it is sent.
    var movedBytes: Int? {
        guard offset(CURLINFO_PRETRANSFER_TIME_T) > 0 else { return nil }
        return offset(CURLINFO_SIZE_DOWNLOAD_T) + offset(CURLINFO_SIZE_UPLOAD_T) + long(CURLINFO_HEADER_SIZE)
    }

    /// The socket of the connection that the transfer left to the next one; `nil` when it was closed or speaks HTTP/2.
    var socketOfHTTP1: Int32? {
        guard (1..<3).contains(long(CURLINFO_HTTP_VERSION)) else { return nil }
        let socket = unsafe calotype_curl_info_socket(pointer)
        return socket >= 0 ? socket : nil
    }

    /// Whether something came in over the connection, whose socket is given, that no transfer has read.
    func hasInput(_ socket: Int32) -> Bool { unsafe calotype_curl_has_input(pointer, socket) }

    func long(_ info: CURLINFO) -> Int { unsafe calotype_curl_info_long(pointer, info) }

    func offset(_ info: CURLINFO) -> Int { Int(unsafe calotype_curl_info_offset(pointer, info)) }
}
