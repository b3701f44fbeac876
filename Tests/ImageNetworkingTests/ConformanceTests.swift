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
            let transport = InterceptedLoader(CurlLoader(.withoutIdleTimeout), interceptors: [])
            let network = ResumingLoader(ThrottledLoader(RetryingLoader(transport), limit: BandwidthLimit(bytesPerSecond: 0)))
            return SchemeRouter.standard(network: network)
        }
    }
}
