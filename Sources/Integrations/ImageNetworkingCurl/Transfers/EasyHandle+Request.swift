internal import CCalotypeCurl
internal import HTTPTypes
internal import ImageCore
internal import ImageNetworking

extension EasyHandle {
    /// Sets everything for one request. A handle that served a plain GET before only needs what differs.
    ///
    /// `mayConnect` says whether it may make a connection. One that need not costs less: where libcurl has no time limit to
    /// keep, it keeps no timers. The other limits are the loop's own.
    func prepare(_ hop: borrowing Hop, mayConnect: Bool, configuration: CurlLoader.Configuration, usesProxies: Bool) {
        if isDirty { prepareAnew(configuration, usesProxies: usesProxies) }
        if told.url != hop.address.text {
            told.url = hop.address.text
            setURL(told.url)
        }
        if told.mayConnect != mayConnect {
            told.mayConnect = mayConnect
            set(CURLOPT_CONNECTTIMEOUT_MS, mayConnect ? configuration.connectTimeout.inMilliseconds : 0)
        }
        let mayMultiplex = hop.address.origin.isSecure && configuration.httpVersion == .automatic
        if told.mayMultiplex != mayMultiplex {
            told.mayMultiplex = mayMultiplex
            set(CURLOPT_HTTP_VERSION, Int(mayMultiplex ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
            // Several transfers to a host that may speak HTTP/2 wait for the first connection to say so.
            set(CURLOPT_PIPEWAIT, mayMultiplex ? 1 : 0)
        }
        let hasBody = hop.body != nil
        if told.hasBody != hasBody || told.fields != hop.headerFields {
            (told.hasBody, told.fields) = (hasBody, hop.headerFields)
            told.maySayWho = hop.headerFields.contains { !RequestFields.neutral.contains($0.name.canonicalName) }
            setHeaders(Self.lines(for: hop, userAgent: configuration.userAgent))
        }
        if hop.method != .get || hasBody { prepare(method: hop.method, body: hop.body) }
    }

    private func prepareAnew(_ configuration: CurlLoader.Configuration, usesProxies: Bool) {
        reset()
        (isDirty, told) = (false, Request())
        setCallbacks()
        _ = unsafe calotype_curl_allow_web_only(pointer)
        unsafe calotype_curl_quit_quickly(pointer)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_HTTP09_ALLOWED, 0)
        set(CURLOPT_BUFFERSIZE, Self.receivedAtATime)
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        switch configuration.certificateAuthorities {
        case .system: break
        case .file(let path): set(CURLOPT_CAINFO, path)
        case .pem(let data): set(CURLOPT_CAINFO_BLOB, Array(data))
        }
        // libcurl may have been built to look into the system's folder of authorities besides.
        if configuration.certificateAuthorities != .system {
            _ = unsafe calotype_curl_set_pointer(pointer, CURLOPT_CAPATH, nil)
        }
        // It names itself to a proxy by this, and to a server by a header line, which libcurl puts together in half the time.
        if usesProxies { set(CURLOPT_USERAGENT, configuration.userAgent) } else { set(CURLOPT_PROXY, "") }
    }

    private func setCallbacks() {
        _ = unsafe calotype_curl_set_data_callback(pointer, CURLOPT_HEADERFUNCTION, curlReceivesHeadLine)
        _ = unsafe calotype_curl_set_pointer(pointer, CURLOPT_HEADERDATA, incomingContext)
        _ = unsafe calotype_curl_set_data_callback(pointer, CURLOPT_WRITEFUNCTION, curlReceivesBody)
        _ = unsafe calotype_curl_set_pointer(pointer, CURLOPT_WRITEDATA, incomingContext)
        _ = unsafe calotype_curl_set_resolver_callback(pointer, curlBeginsLookup)
        _ = unsafe calotype_curl_set_pointer(pointer, CURLOPT_RESOLVER_START_DATA, context)
        _ = unsafe calotype_curl_set_socket_callback(pointer, curlOpensSocket)
        _ = unsafe calotype_curl_set_pointer(pointer, CURLOPT_OPENSOCKETDATA, context)
        _ = unsafe calotype_curl_set_request_callback(pointer, curlIsReadyToSend)
        _ = unsafe calotype_curl_set_pointer(pointer, CURLOPT_PREREQDATA, incomingContext)
    }

    private func prepare(method: HTTPRequest.Method, body: Data?) {
        isDirty = true
        if let body {
            set(CURLOPT_POSTFIELDSIZE_LARGE, bytes: body.count)
            // libcurl makes its own copy, so the bytes need not outlive this call.
            _ = unsafe Array(body).withUnsafeBytes {
                unsafe calotype_curl_set_pointer(pointer, CURLOPT_COPYPOSTFIELDS, $0.baseAddress ?? UnsafeRawPointer(context))
            }
        }
        if method == .head { set(CURLOPT_NOBODY, 1) } else { set(CURLOPT_CUSTOMREQUEST, method.rawValue) }
    }

    /// The header lines as libcurl takes them: a name before a semicolon has an empty value, before a colon none at all.
    private static func lines(for hop: borrowing Hop, userAgent: String) -> [String] {
        var lines: [String] = []
        for field in hop.headerFields where field.name != .contentLength && field.name != .transferEncoding {
            lines.append(field.value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(field.value)")
        }
        if !userAgent.isEmpty, hop.headerFields[.userAgent] == nil { lines.append("User-Agent: \(userAgent)") }
        if hop.body != nil {
            // libcurl would ask whether it may send the body, and call it a form.
            lines.append("Expect:")
            if hop.headerFields[.contentType] == nil { lines.append("Content-Type:") }
        }
        return lines
    }
}

extension MultiHandle {
    func set(_ option: CURLMoption, _ value: Int) { _ = unsafe calotype_curl_multi_set_long(pointer, option, value) }
}
