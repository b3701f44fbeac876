#if os(Linux)
    import CCalotypeCurl
    import CCalotypeLookup
    import LoopbackHTTP
    import Testing

    /// A lookup of a name that no other test uses: it waits until it is released, and then returns the loopback
    /// address.
    final class HeldLookup: Sendable {
        let name: String
        /// Opens when the lookup starts.
        let begun: LoopbackServer.Gate

        /// Whether libcurl looks up names with the C library, on a separate thread that it need not wait for.
        static let isPossible: Bool = {
            guard clt_holds_lookups(), let version = unsafe curl_version_info(CURLVERSION_SECOND) else { return false }
            return unsafe version.pointee.ares == nil && version.pointee.version_num >= 0x07_57_00
        }()

        init(of name: String) throws {
            self.name = name
            begun = try LoopbackServer.Gate()
            let isHeld = unsafe clt_hold_lookup(
                name, { unsafe Unmanaged<LoopbackServer.Gate>.fromOpaque($0!).takeUnretainedValue().open() },
                unsafe Unmanaged.passUnretained(begun).toOpaque())
            try #require(isHeld)
        }

        deinit { answer() }

        func answer() { unsafe clt_answer_lookup(name) }
    }
#endif
