import CalotypeTesting
import HTTPTypes
import ImageCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct NetworkConditionerTests {
    private let network = ScriptedLoader { _ in .body(Data(0..<100)) }

    private func load(_ conditioner: NetworkConditioner) async throws -> DataResponse {
        try await InterceptedLoader(network, interceptors: [conditioner]).load(DataRequest(url: URL(string: "test://a")!))
    }

    @Test func withoutConditionsNothingChanges() async throws {
        let conditioner = NetworkConditioner()
        var received = Data()
        for try await chunk in try await load(conditioner).body { received += chunk }
        #expect(received == Data(0..<100))
        try await checkInterceptorConformance { conditioner }
    }

    @Test func noRequestIsSentWhileOfflineAndTheNextOneOnceItEnds() async throws {
        let conditioner = NetworkConditioner(NetworkConditioner.Conditions(isOffline: true))
        let error = try await #require(throws: ImageError.self) { _ = try await load(conditioner) }
        #expect(error.code == .offline && network.requests.isEmpty)
        conditioner.conditions.isOffline = false
        _ = try await load(conditioner)
        #expect(network.requests.count == 1)
    }

    @Test func aRequestIsSentAfterTheLatency() async throws {
        let clock = ManualClock()
        let conditioner = NetworkConditioner(NetworkConditioner.Conditions(latency: .seconds(2)), clock: clock)
        async let response = load(conditioner)
        await clock.waitForSleeps(1)
        #expect(network.requests.isEmpty)
        clock.advance(by: .seconds(2))
        _ = try await response
        #expect(network.requests.count == 1)
    }

    /// Of many requests, the share fails that the rate says, and the same ones again for the same seed.
    @Test func requestsFailAtTheRateAndTheSameOnesForOneSeed() async throws {
        func failures(_ seed: UInt64) async -> [Int] {
            let conditioner = NetworkConditioner(NetworkConditioner.Conditions(failureRate: 0.2), seed: seed)
            var failed: [Int] = []
            for number in 0..<1_000 where (try? await load(conditioner)) == nil { failed.append(number) }
            return failed
        }
        let failed = await failures(7)
        #expect(150...250 ~= failed.count)
        #expect(await failures(7) == failed)
        #expect(await failures(8) != failed)
    }

    @Test(arguments: [true, false]) func aBodyBreaksOffAfterHalfOrAThousandBytes(_ isAnnounced: Bool) async throws {
        let network = ScriptedLoader { _ in
            .response(
                HTTPResponse(status: .ok, headerFields: isAnnounced ? [.contentLength: "3000"] : [:]),
                chunks: Array(repeating: Data(count: 600), count: 5))
        }
        let conditioner = NetworkConditioner(NetworkConditioner.Conditions(breakRate: 1))
        let loader = InterceptedLoader(network, interceptors: [conditioner])
        let response = try await loader.load(DataRequest(url: URL(string: "test://a")!))
        var count = 0
        let error = try await #require(throws: ImageError.self) { for try await chunk in response.body { count += chunk.count } }
        #expect(error.code == .connectionLost)
        #expect(count == (isAnnounced ? 1_500 : 1_000))
    }

    @Test func aStatusComesInsteadOfTheResponse() async throws {
        let conditioner = NetworkConditioner(NetworkConditioner.Conditions(status: .serviceUnavailable))
        #expect(try await load(conditioner).head.status == .serviceUnavailable)
        #expect(network.requests.isEmpty)
    }
}
