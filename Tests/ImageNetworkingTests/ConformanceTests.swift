import CalotypeTesting
import ImageCore
import ImageNetworking
import ImageNetworkingCurl
import NetworkTestKit
import Testing

@Suite(.timeLimit(.minutes(2)))
struct DataLoadingContract {
    @Test func theStandardWrappersPassTheConformanceChecks() async throws {
        try await DataLoadingConformance.check {
            let transport = InterceptedLoader(CurlLoader(), interceptors: [])
            let retrying = RetryingLoader(transport, policy: RetryPolicy(maximumRetries: 3, baseDelay: .zero, multiplier: 1))
            let network = ResumingLoader(ThrottledLoader(retrying, limit: BandwidthLimit(bytesPerSecond: 0)))
            return SchemeRouter.standard(network: network)
        }
    }
}
