internal import CCalotypeCurl

// libcurl's callbacks. Their context is an EasyHandle, which outlives each call. They run on the loop's thread, inside
// curl_multi_perform, curl_easy_pause or curl_multi_remove_handle.

func curlReceivesHeaderLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes = unsafe bytes, let transfer = unsafe EasyHandle.transfer(context) else { return 0 }
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe transfer.receive(headerLine: line) ? size * count : 0
}

func curlReceivesBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes = unsafe bytes, let transfer = unsafe EasyHandle.transfer(context) else { return 0 }
    return unsafe transfer.receive(body: UnsafeRawBufferPointer(start: bytes, count: size * count))
}

func curlBeginsLookup(
    _ resolver: UnsafeMutableRawPointer?, _ reserved: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    unsafe EasyHandle.transfer(context)?.lookupBegins()
    return 0
}

func curlOpensSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let address = unsafe address, let transfer = unsafe EasyHandle.transfer(context),
        let socket = unsafe transfer.openSocket(for: address)
    else { return -1 }
    return socket
}

func curlIsReadyToSend(
    _ context: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?, _ local: UnsafeMutablePointer<CChar>?,
    _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
    guard let transfer = unsafe EasyHandle.transfer(context) else { return CURL_PREREQFUNC_ABORT }
    let ends = unsafe remote.map {
        unsafe KeptConnections.Ends(remoteAddress: String(cString: $0), remotePort: remotePort, localPort: localPort)
    }
    return transfer.maySendRequest(over: ends) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}
