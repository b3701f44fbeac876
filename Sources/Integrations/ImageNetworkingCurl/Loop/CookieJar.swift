internal import CCalotypeCurl

/// The cookies of a loader, in memory: libcurl stores them, and sends each to the hosts that may have it (RFC 6265).
/// For the loop's thread alone.
@safe final class CookieJar {
    let pointer: UnsafeMutableRawPointer

    /// `nil` when libcurl has no memory left.
    init?() {
        guard let pointer = unsafe clt_curl_make_cookie_jar() else { return nil }
        unsafe self.pointer = unsafe pointer
    }

    deinit { _ = unsafe curl_share_cleanup(pointer) }
}
