#if os(Linux)
    import CCalotypeCurl
    import CalotypeSystem
    import ImageCore
    import LoopbackHTTP
    import NetworkTestKit
    import Testing

    @testable import ImageNetworkingCurl

    /// Each test stays on its thread, since it waits for nothing.
    @Suite struct CurlMemory {
        private let size = EasyHandle.receivedAtATime + 1

        private func keeping<R>(_ body: () throws -> R) rethrows -> R {
            calotype_curl_keep_memory(size)
            defer { calotype_curl_keep_no_memory() }
            return try body()
        }

        @Test func whatWasReceivedIntoServesTheNextTransfer() throws {
            try keeping {
                let first = unsafe try #require(calotype_curl_take(size))
                let other = unsafe try #require(calotype_curl_take(size))
                #expect(unsafe first != other)
                #expect(!calotype_curl_has_kept_memory())
                unsafe calotype_curl_give(first)
                #expect(calotype_curl_has_kept_memory())
                let again = unsafe try #require(calotype_curl_take(size))
                #expect(unsafe again == first)
                #expect(!calotype_curl_has_kept_memory())
                unsafe calotype_curl_give(other)
                calotype_curl_free_kept_memory()
                #expect(!calotype_curl_has_kept_memory())
                unsafe calotype_curl_give(again)
            }
            #expect(!calotype_curl_has_kept_memory())
        }

        @Test func noMoreIsKeptThanSomePieces() throws {
            try keeping {
                let pieces = unsafe try (0..<33).map { _ in unsafe try #require(calotype_curl_take(size)) }
                unsafe pieces.forEach { unsafe calotype_curl_give($0) }
                // The last one was given up for good.
                var again = unsafe (0..<31).map { _ in unsafe calotype_curl_take(size) }
                #expect(calotype_curl_has_kept_memory())
                unsafe again.append(calotype_curl_take(size))
                let isSame = unsafe Set(again) == Set(pieces.dropLast())
                #expect(isSame)
                #expect(!calotype_curl_has_kept_memory())
                unsafe again.forEach { unsafe calotype_curl_give($0) }
            }
        }

        @Test func smallPiecesAndMuchLargerOnesAreNotKept() {
            keeping {
                for other in [1, 64, 1024, size - 64, size + 64, 2 * size] {
                    unsafe calotype_curl_give(calotype_curl_take(other))
                    #expect(!calotype_curl_has_kept_memory(), "\(other)")
                }
                calotype_curl_give(nil)
                #expect(!calotype_curl_has_kept_memory())
            }
        }

        @Test func zeroedMemoryIsZeroWhateverWasInIt() throws {
            try keeping {
                for length in [1, 24, 1032, 1033, 1496, 4096, 5000, 70_000] {
                    for _ in 0..<2 {
                        let piece = unsafe try #require(calotype_curl_take_zeroed(1, length))
                        let bytes = unsafe UnsafeRawBufferPointer(start: piece, count: length)
                        #expect(unsafe bytes.allSatisfy { $0 == 0 }, "\(length)")
                        unsafe memset(piece, 0xA5, length)
                        unsafe calotype_curl_give(piece)
                    }
                }
            }
        }

        @Test func onePieceOfMiddleSizeIsKeptTheLatest() throws {
            try keeping {
                let stale = unsafe try #require(calotype_curl_take_zeroed(1, 3000))
                let piece = unsafe try #require(calotype_curl_take_zeroed(1, 1496))
                unsafe calotype_curl_give(stale)
                unsafe calotype_curl_give(piece)
                #expect(calotype_curl_has_kept_memory())
                let again = unsafe try #require(calotype_curl_take_zeroed(2, 748))
                #expect(unsafe again == piece)
                #expect(!calotype_curl_has_kept_memory())
                unsafe calotype_curl_give(again)
            }
        }

        @Test func moreThanThereIsIsRefused() {
            let isRefused = keeping {
                // Their product is 0 where what is too large for its type is cut off.
                unsafe calotype_curl_take_zeroed(1 << 62, 4) == nil
            }
            #expect(isRefused)
        }

        @Test func aThreadThatDoesNotAskKeepsNothing() {
            unsafe calotype_curl_give(calotype_curl_take(size))
            unsafe calotype_curl_give(calotype_curl_take_zeroed(1, 1496))
            #expect(!calotype_curl_has_kept_memory())
        }
    }

    /// The memory that the thread of a loader keeps is looked at from there.
    @Suite(.timeLimit(.minutes(1))) struct CurlLoaderMemory {
        private func loader(memoryTime: Duration) -> CurlLoader {
            var configuration = CurlLoader.Configuration.withoutIdleTimeout
            configuration.memoryTime = memoryTime
            return CurlLoader(configuration)
        }

        /// Whether a loader that has just loaded something keeps memory.
        private func keepsMemory(_ loader: CurlLoader, afterLoading request: DataRequest) async throws -> Bool {
            _ = try await loader.body(of: request)
            return await withTaskExecutorPreference(loader.executor) {
                // Later versions of libcurl may leave nothing to keep.
                unsafe calotype_curl_give(calotype_curl_take(EasyHandle.receivedAtATime + 1))
                return calotype_curl_has_kept_memory()
            }
        }

        private func keepsMemory(_ loader: CurlLoader) async -> Bool {
            await withTaskExecutorPreference(loader.executor) { calotype_curl_has_kept_memory() }
        }

        @Test func aLoaderKeepsMemoryForTheNextTransfer() async throws {
            let (server, loader) = (try LoopbackServer.answering(body: "x"), loader(memoryTime: .seconds(3600)))
            #expect(try await keepsMemory(loader, afterLoading: try server.request()))
            #expect(await keepsMemory(loader))
            await loader.close()
        }

        @Test func anIdleLoaderGivesItBack() async throws {
            let (server, loader) = (try LoopbackServer.answering(body: "x"), loader(memoryTime: .zero))
            var freed = calotype_curl_times_freed()
            #expect(try await keepsMemory(loader, afterLoading: try server.request()))
            // To look is to wake it, so that it is not done before somebody has freed something. That may be another's loader.
            let limit = ContinuousClock.now + .seconds(30)
            while await keepsMemory(loader), .now < limit {
                while calotype_curl_times_freed() == freed, .now < limit { await Task.yield() }
                freed = calotype_curl_times_freed()
            }
            #expect(await !keepsMemory(loader))
            await loader.close()
        }
    }
#endif
