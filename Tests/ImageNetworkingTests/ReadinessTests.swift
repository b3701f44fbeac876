#if os(Linux)
    import CCalotypeCurl
    import ImageCore
    import Testing

    @testable import ImageNetworking

    @Suite struct ReadinessTimers {
        /// libcurl's clock stands still while the machine sleeps, the loop's does not.
        @Test func aTimerThatComesTooEarlyForLibcurlIsSetAgain() throws {
            #expect(CurlLibrary.isReady)
            let silent = try SilentListener()
            let multi = try #require(MultiHandle())
            let readiness = try #require(Readiness(multi))
            let handle = try #require(EasyHandle())
            handle.reset()
            handle.set(CURLOPT_URL, silent.url.absoluteString)
            handle.set(CURLOPT_CONNECTTIMEOUT_MS, 600_000)
            _ = unsafe curl_multi_add_handle(multi.pointer, handle.pointer)
            // The connection begins; from here on its time limit is all there is to wait for.
            readiness.work()
            #expect(readiness.hasTimer)
            readiness.setTimer(milliseconds: 0)
            readiness.work()
            #expect(readiness.hasTimer)
            _ = unsafe curl_multi_remove_handle(multi.pointer, handle.pointer)
            _ = unsafe curl_multi_cleanup(multi.pointer)
            withExtendedLifetime((silent, readiness, handle)) {}
        }
    }
#endif
