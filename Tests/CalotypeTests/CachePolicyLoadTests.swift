import Calotype
import CalotypeTesting
import Foundation
import HTTPTypes
import Testing

/// Cache policies (FEATURES 1.7): every combination of their bits, in a standard loader with its HTTP cache.
@Suite(.timeLimit(.minutes(1)))
struct CachePoliciesOverHTTP {
    static let all = (UInt8(0)..<64).map { CachePolicy(rawValue: $0) }

    /// A server whose image is fresh for a while and has an entity tag.
    private func server() throws -> ScriptedLoader {
        let png = try PNGEncoder().encode(try TestImages.solid(width: 4, height: 2), as: .png, options: EncodeOptions())
        return ScriptedLoader { request in
            let fields: HTTPFields = [.eTag: "\"v1\"", .cacheControl: "max-age=60"]
            let isCurrent = request.headerFields[.ifNoneMatch] == "\"v1\""
            return .response(
                HTTPResponse(status: isCurrent ? .notModified : .ok, headerFields: fields), chunks: isCurrent ? [] : [png])
        }
    }

    private func request(_ policy: CachePolicy) -> ImageRequest {
        ImageRequest(url: URL(string: "https://example.org/a.png")!, options: OptionLayer { $0.cachePolicy = policy })
    }

    /// What a load does: the tier that serves it, `nil` for `notCached`, and whether the server is asked to confirm an
    /// entry.
    private func outcome(_ policy: CachePolicy, inMemory: Bool, onDisk: Bool) -> (tier: CacheTier?, confirms: Bool) {
        if policy.readsMemory, inMemory { return (.memory, false) }
        if policy.readsDisk, onDisk {
            if !policy.revalidatesDisk { return (.disk, false) }
            if !policy.isOnlyIfCached { return (.disk, true) }
        }
        return (policy.isOnlyIfCached ? nil : .network, false)
    }

    @Test(arguments: all)
    func everyCombinationAsksTheServerOnlyAsItSays(_ policy: CachePolicy) async throws {
        for (inMemory, onDisk) in [(false, false), (true, false), (false, true), (true, true)] {
            let (network, memory, disk) = (try server(), LoggedMemoryCache(), LoggedDataCache())
            let loader = ImageLoader.standard {
                ($0.network, $0.memoryCache, $0.dataCache, $0.retryPolicy) = (network, memory, disk, nil)
            }
            if inMemory { _ = try await loader.image(for: request([.writesMemory])) }
            if onDisk { _ = try await loader.image(for: request([.writesDisk])) }
            try await loader.flush()
            let before = network.requests.count
            let expected = outcome(policy, inMemory: inMemory, onDisk: onDisk)
            do {
                #expect(try await loader.response(for: request(policy)).tier == expected.tier)
            } catch {
                #expect(expected.tier == nil && error.error?.code == .notCached)
            }
            try await loader.flush()
            let sent = network.requests.dropFirst(before)
            #expect(sent.count == (expected.tier == .network || expected.confirms ? 1 : 0))
            #expect(sent.allSatisfy { $0.headerFields.contains(.ifNoneMatch) == expected.confirms })
            #expect(memory.keys.isEmpty == !(inMemory || policy.writesMemory && expected.tier != nil))
            #expect(disk.keys.isEmpty == !(onDisk || policy.writesDisk && expected.tier == .network))
        }
    }

    @Test func aRevalidationThatCannotReachTheServerFails() async throws {
        let isUp = Lock(true)
        let server = try server()
        let loader = ImageLoader.standard {
            $0.network = ScriptedLoader { _ in
                isUp.withLock { $0 } ? .forward(server) : .failure(ImageError(.connectionLost, message: "Down."))
            }
            ($0.memoryCache, $0.dataCache, $0.retryPolicy) = (nil, LoggedDataCache(), nil)
        }
        _ = try await loader.image(for: request(.memoryAndDisk))
        // Until the image is stored, later loads are served by the load that fetched it.
        try await loader.flush()
        isUp.withLock { $0 = false }
        await #expect(throws: LoadFailure.self) { try await loader.image(for: request(.revalidate)) }
        #expect(try await loader.response(for: request(.memoryAndDisk)).tier == .disk)
    }
}
