internal import CCalotypeCurl
internal import HTTPTypes
internal import ImageCore
internal import ImageNetworking

extension EasyHandle {
    /// Sets the options of one request. The loop itself keeps the timeouts other than that for connecting.
    func prepare(_ hop: Hop, configuration: CurlLoader.Configuration) {
        clearErrorMessage()
        set(CURLOPT_URL, hop.address.text)
        let mayMultiplex = hop.address.origin.isSecure && configuration.httpVersion == .automatic
        set(CURLOPT_HTTP_VERSION, Int(mayMultiplex ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
        // Several transfers to a host that may speak HTTP/2 wait for the first connection to say so.
        set(CURLOPT_PIPEWAIT, mayMultiplex ? 1 : 0)
        // The request has no such field all the same; see `lines`.
        if hop.decodesByLibrary { set(CURLOPT_ACCEPT_ENCODING, "") }
        setHeaderLines(Self.lines(for: hop))
        if let body = hop.body {
            set(CURLOPT_POSTFIELDSIZE, body.count)
            // libcurl makes its own copy, so the bytes need not outlive this call.
            _ = unsafe Array(body).withUnsafeBytes {
                unsafe clt_curl_set_pointer(pointer, CURLOPT_COPYPOSTFIELDS, $0.baseAddress ?? UnsafeRawPointer(context))
            }
        }
        if hop.method == .head {
            set(CURLOPT_NOBODY, 1)
        } else if hop.method != .get || hop.body != nil {
            set(CURLOPT_CUSTOMREQUEST, hop.method.rawValue)
        }
    }

    func setConnectionOptions(_ configuration: CurlLoader.Configuration, usesProxies: Bool) {
        _ = unsafe clt_curl_allow_web_only(pointer)
        unsafe clt_curl_quit_quickly(pointer)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_HTTP09_ALLOWED, 0)
        set(CURLOPT_BUFFERSIZE, Self.bufferSize)
        set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.inMilliseconds)
        switch configuration.certificateAuthorities {
        case .system: break
        case .file(let path): set(CURLOPT_CAINFO, path)
        case .pem(let data): set(CURLOPT_CAINFO_BLOB, Array(data))
        }
        // libcurl may have been built to use the system's folder of authorities in addition.
        if configuration.certificateAuthorities != .system {
            _ = unsafe clt_curl_set_pointer(pointer, CURLOPT_CAPATH, nil)
        }
        // A header line of the request replaces it.
        set(CURLOPT_USERAGENT, configuration.userAgent)
        if !usesProxies { set(CURLOPT_PROXY, "") }
    }

    func setCallbacks() {
        _ = unsafe clt_curl_set_data_callback(pointer, CURLOPT_HEADERFUNCTION, curlReceivesHeaderLine)
        _ = unsafe clt_curl_set_pointer(pointer, CURLOPT_HEADERDATA, context)
        _ = unsafe clt_curl_set_data_callback(pointer, CURLOPT_WRITEFUNCTION, curlReceivesBody)
        _ = unsafe clt_curl_set_pointer(pointer, CURLOPT_WRITEDATA, context)
        _ = unsafe clt_curl_set_resolver_callback(pointer, curlBeginsLookup)
        _ = unsafe clt_curl_set_pointer(pointer, CURLOPT_RESOLVER_START_DATA, context)
        _ = unsafe clt_curl_set_socket_callback(pointer, curlOpensSocket)
        _ = unsafe clt_curl_set_pointer(pointer, CURLOPT_OPENSOCKETDATA, context)
        _ = unsafe clt_curl_set_request_callback(pointer, curlIsReadyToSend)
        _ = unsafe clt_curl_set_pointer(pointer, CURLOPT_PREREQDATA, context)
    }

    /// The header lines as libcurl takes them: a name before a semicolon has an empty value, before a colon none at
    /// all.
    private static func lines(for hop: Hop) -> [String] {
        var lines: [String] = []
        for field in hop.headerFields where field.name != .contentLength && field.name != .transferEncoding {
            lines.append(field.value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(field.value)")
        }
        // A name alone sends no field. Images are compressed already.
        if hop.headerFields[.acceptEncoding] == nil { lines.append("Accept-Encoding:") }
        if hop.body == nil, hop.method.expectsBody { lines.append("Content-Length: 0") }
        if hop.body != nil {
            // Otherwise libcurl sends "Expect: 100-continue" and the content type of a form.
            lines.append("Expect:")
            if hop.headerFields[.contentType] == nil { lines.append("Content-Type:") }
        }
        return lines
    }
}
