internal import CCalotypeCurl
internal import HTTPTypes
internal import ImageCore

internal import CalotypeSystem

/// One of libcurl's easy handles, for one transfer. For the loop's thread alone.
@safe final class EasyHandle {
    /// How much libcurl receives at a time, in bytes.
    static let bufferSize = 64 << 10

    let pointer: UnsafeMutableRawPointer
    /// The transfer that uses the handle.
    var transfer: CurlTransfer?
    /// The headers of its response, as far as they were received.
    var headers = ResponseHeaders()
    private(set) var headerLines: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>
    /// Outlives the handle, which uses it.
    private let cookies: CookieJar?

    /// Creates a handle with the options that all requests have in common.
    init?(_ configuration: CurlLoader.Configuration, usesProxies: Bool, cookies: CookieJar?) {
        guard let pointer = unsafe curl_easy_init() else { return nil }
        self.cookies = cookies
        unsafe self.pointer = unsafe pointer
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        _ = unsafe clt_curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText)
        // Names the handle in libcurl's list of finished transfers.
        _ = unsafe clt_curl_set_pointer(pointer, CURLOPT_PRIVATE, context)
        if let cookies {
            _ = unsafe clt_curl_set_pointer(pointer, CURLOPT_SHARE, cookies.pointer)
            // Without a name, no file is read.
            set(CURLOPT_COOKIEFILE, "")
        }
        setCallbacks()
        setConnectionOptions(configuration, usesProxies: usesProxies)
    }

    deinit {
        setHeaderLines([])
        unsafe curl_easy_cleanup(pointer)
        unsafe errorText.deallocate()
    }

    /// The transfer of the handle that a callback or libcurl's list of finished transfers names.
    static func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue().transfer
    }

    /// The context of callbacks.
    var context: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    func set(_ option: CURLoption, _ value: Int) { _ = unsafe clt_curl_set_long(pointer, option, value) }

    func set(_ option: CURLoption, _ value: String) { _ = unsafe clt_curl_set_pointer(pointer, option, value) }

    func set(_ option: CURLoption, _ value: [UInt8]) {
        _ = unsafe value.withUnsafeBytes { unsafe clt_curl_set_blob(pointer, option, $0.baseAddress, $0.count) }
    }

    /// Replaces the header lines of the request.
    func setHeaderLines(_ lines: [String]) {
        // free(3) does not clear memory, and a later user of it may reveal what it held.
        var old = unsafe headerLines
        while let line = unsafe old {
            unsafe memset(line.pointee.data, 0, strlen(line.pointee.data))
            unsafe old = line.pointee.next
        }
        unsafe curl_slist_free_all(headerLines)
        unsafe headerLines = nil
        for line in lines { unsafe headerLines = unsafe curl_slist_append(headerLines, line) ?? headerLines }
        _ = unsafe clt_curl_set_pointer(pointer, CURLOPT_HTTPHEADER, headerLines)
    }

    /// libcurl's own message of its last failure; may be empty.
    var errorMessage: String { unsafe String(cString: errorText) }

    func clearErrorMessage() { unsafe errorText.pointee = 0 }

    /// What libcurl has measured of the current request.
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
        timing.tlsHandshake = .microseconds(secured > 0 ? max(0, secured - connected) : 0)
        return timing
    }

    /// Whether the connection with this socket has received bytes that no transfer has read.
    func hasInput(_ socket: Int32) -> Bool { unsafe clt_curl_has_input(pointer, socket) }

    func long(_ info: CURLINFO) -> Int { unsafe clt_curl_info_long(pointer, info) }

    func offset(_ info: CURLINFO) -> Int { Int(unsafe clt_curl_info_offset(pointer, info)) }
}
