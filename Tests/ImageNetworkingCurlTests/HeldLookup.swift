#if os(Linux)
    import CCalotypeCurl
    import CCalotypeLookup
    import LoopbackHTTP
    import Testing

    /// The lookup of a name that no other test looks up: it waits until it is answered, with this machine's own address.
    final class HeldLookup: Sendable {
        let name: String
        /// Opens when somebody looks the name up.
        let begun: LoopbackServer.Gate

        /// Whether libcurl looks names up by the C library, on a thread of its own that it need not wait for.
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
