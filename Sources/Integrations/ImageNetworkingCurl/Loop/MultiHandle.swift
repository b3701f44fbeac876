internal import CCalotypeCurl

/// libcurl's multi handle.
@safe struct MultiHandle: @unchecked Sendable {  // because other threads at most wake libcurl, which it allows
    let pointer: UnsafeMutableRawPointer

    init?() {
        guard let pointer = unsafe curl_multi_init() else { return nil }
        unsafe self.pointer = unsafe pointer
    }

    func set(_ option: CURLMoption, _ value: Int) { _ = unsafe calotype_curl_multi_set_long(pointer, option, value) }
}
