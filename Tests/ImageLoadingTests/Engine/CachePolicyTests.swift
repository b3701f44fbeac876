import CalotypeTesting
import ImageCore
import ImageLoading
import Testing

/// Cache policies (FEATURES 1.7): every combination of their bits, in a loader without an HTTP cache.
@Suite(.timeLimit(.minutes(1)))
struct CachePolicies {
    static let all = (UInt8(0)..<64).map { CachePolicy(rawValue: $0) }

    private func request(_ policy: CachePolicy) -> ImageRequest {
        ImageRequest(url: url("x"), options: OptionLayer { $0.cachePolicy = policy })
    }

    /// The tier that serves the image; `nil` where no cache that is read has it and the network is forbidden.
    private func tier(_ policy: CachePolicy, inMemory: Bool, onDisk: Bool) -> CacheTier? {
        if policy.readsMemory, inMemory { return .memory }
        // Without an HTTP cache, no server can confirm what is on disk.
        if policy.readsDisk, !policy.revalidatesDisk, onDisk { return .disk }
        return policy.isOnlyIfCached ? nil : .network
    }

    @Test(arguments: all)
    func everyCombinationReadsAndWritesWhatItSays(_ policy: CachePolicy) async throws {
        for (inMemory, onDisk) in [(false, false), (true, false), (false, true), (true, true)] {
            let bench = Bench()
            if inMemory { _ = try await bench.loader.image(for: request([.writesMemory])) }
            if onDisk { _ = try await bench.loader.image(for: request([.writesDisk])) }
            try await bench.loader.flush()
            let before = bench.network.requests.count
            let expected = tier(policy, inMemory: inMemory, onDisk: onDisk)
            do {
                #expect(try await bench.loader.response(for: request(policy)).tier == expected)
            } catch {
                #expect(expected == nil && error.error?.code == .notCached)
            }
            try await bench.loader.flush()
            #expect(bench.network.requests.count - before == (expected == .network ? 1 : 0))
            #expect(bench.memory.keys.isEmpty == !(inMemory || policy.writesMemory && expected != nil))
            #expect(bench.disk.keys.isEmpty == !(onDisk || policy.writesDisk && expected == .network))
        }
    }

    @Test(arguments: all)
    func aLocalSourceNeedsNoNetworkUnderAnyPolicy(_ policy: CachePolicy) async throws {
        let bench = Bench()
        let local = ImageRequest(
            .bytes(Data([7]), id: "a"), options: OptionLayer { $0.cachePolicy = policy.union(.onlyIfCached) })
        _ = try await bench.loader.image(for: local)
        #expect(bench.network.requests.isEmpty && bench.disk.keys.isEmpty)
    }

    @Test func theNamedPoliciesAreTheseBits() {
        #expect(CachePolicy.cacheOnly == [.readsMemory, .writesMemory, .readsDisk, .writesDisk, .onlyIfCached])
        #expect(CachePolicy.revalidate == [.writesMemory, .readsDisk, .writesDisk, .revalidatesDisk])
        #expect(CachePolicy.reload == [.writesMemory, .writesDisk])
    }

    @Test func aReloadDoesNotJoinALoadThatMayBeServedFromDisk() async throws {
        let bench = Bench.held()
        let plain = bench.loader.task(for: request(.memoryAndDisk))
        await bench.network.waitForRequests(1)
        let reload = bench.loader.task(for: request(.reload))
        await bench.network.waitForRequests(2)
        bench.network.gate.open()
        #expect(try await plain.response.tier == .network)
        #expect(try await reload.response.tier == .network)
    }

    @Test func aLoadThatMayNotUseTheNetworkNeitherJoinsAFetchNorFailsTheOtherLoad() async throws {
        let bench = Bench.held()
        let plain = bench.loader.task(for: request(.memoryAndDisk))
        await bench.network.waitForRequests(1)
        let failure = await #expect(throws: LoadFailure.self) { try await bench.loader.image(for: request(.cacheOnly)) }
        #expect(failure?.error?.code == .notCached)
        bench.network.gate.open()
        #expect(try await plain.response.tier == .network)
    }

    @Test func aLoadWhoseImageMustBeConfirmedDoesNotJoinAReadOfTheDisk() async throws {
        let disk = LoggedDataCache(readGate: Gate())
        let bench = Bench(disk: disk)
        _ = try await bench.loader.image(for: request([.writesDisk]))
        try await bench.loader.flush()
        let plain = bench.loader.task(for: request([.readsDisk, .onlyIfCached]))
        await disk.readGate.waitForArrivals(1)
        let strict = bench.loader.task(for: request([.readsDisk, .onlyIfCached, .revalidatesDisk]))
        let confirming = bench.loader.task(for: request([.readsDisk, .revalidatesDisk]))
        let reading = bench.loader.task(for: request([.readsDisk]))
        disk.readGate.open()
        for task in [plain, reading] { #expect(try await task.response.tier == .disk) }
        #expect(try await confirming.response.tier == .network)
        let failure = await #expect(throws: LoadFailure.self) { try await strict.response }
        #expect(failure?.error?.code == .notCached)
    }

    @Test func aPlainLoadThatStartsDuringOneWithoutTheNetworkIsFetched() async throws {
        let bench = Bench()
        let (only, plain) = (bench.loader.task(for: request(.cacheOnly)), bench.loader.task(for: request(.memoryAndDisk)))
        _ = try? await only.response
        #expect(try await plain.response.tier == .network)
    }
}
