@testable import CalotypeTesting
import ImageCore
import ImageNetworkingCurl
import LoopbackTLS
import NetworkTestKit
import Testing

@Suite(.timeLimit(.minutes(2)))
struct DataLoadingContract {
    @Test func theCurlLoaderPassesTheConformanceChecks() async throws {
        try await DataLoadingConformance.check { CurlLoader() }
    }

    @Test func theCurlLoaderPassesTheChecksOverTLS() async throws {
        try await SecureConformance.check(
            trusting: { certificate in
                var configuration = CurlLoader.Configuration()
                configuration.certificateAuthorities = .pem(Data(certificate.utf8))
                return CurlLoader(configuration)
            }, { CurlLoader() })
    }

    @Test func theScriptedLoaderPassesTheChecksIfItForwards() async throws {
        try await DataLoadingConformance.check {
            let loader = CurlLoader()
            return ScriptedLoader { _ in .forward(loader) }
        }
    }

    @Test func aLoaderThatCollectsItsBodyFailsTheChecks() async throws {
        struct Collecting: DataLoading {
            let base = CurlLoader()
            func load(_ request: DataRequest) async throws -> DataResponse {
                var response = try await base.load(request)
                response.body = ByteStream(try await response.body.collected())
                return response
            }
        }
        // Only that check gets little time, since it never passes.
        let name = "The first chunk is handed out while the server holds the second back"
        let check = try #require(DataLoadingConformance.all.first { $0.name == name })
        do {
            try await DataLoadingConformance.run(check, limit: .milliseconds(500)) { Collecting() }
            Issue.record("It passed.")
        } catch let failure as ConformanceFailure {
            #expect(failure.description.contains("\(name): It did not end within"), "\(failure)")
        }
    }
}
