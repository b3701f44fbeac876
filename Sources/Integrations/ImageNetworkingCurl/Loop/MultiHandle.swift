internal import CCalotypeCurl
internal import ImageCore

/// libcurl's multi handle.
@safe struct MultiHandle: @unchecked Sendable {  // because other threads at most wake libcurl, which it allows
    let pointer: UnsafeMutableRawPointer

    /// `nil` when libcurl has no memory left, or the system no descriptor.
    init?() {
        guard let pointer = unsafe curl_multi_init() else { return nil }
        // Without a descriptor libcurl makes a handle that nothing wakes.
        guard unsafe curl_multi_wakeup(pointer) == CURLM_OK else {
            _ = unsafe curl_multi_cleanup(pointer)
            return nil
        }
        unsafe self.pointer = unsafe pointer
    }

    func set(_ option: CURLMoption, _ value: Int) { _ = unsafe clt_curl_multi_set_long(pointer, option, value) }

    /// Lets libcurl do what can be done now.
    func perform() {
        var running: Int32 = 0
        _ = unsafe curl_multi_perform(pointer, &running)
    }

    /// Waits until a socket is ready, a timer is due, ``wakeUp()`` is called, or `limit` is over.
    func wait(atMost limit: Duration?) {
        _ = unsafe curl_multi_poll(pointer, nil, 0, Int32(clamping: limit?.inMilliseconds ?? 60_000), nil)
    }

    /// Ends a running or the next ``wait(atMost:)``. For any thread.
    func wakeUp() { _ = unsafe curl_multi_wakeup(pointer) }
}
