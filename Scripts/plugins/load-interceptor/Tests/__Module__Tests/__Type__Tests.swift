import CalotypeTesting
import ImageCore
import Testing
import __Module__

@Suite(.timeLimit(.minutes(1))) struct __Type__Tests {
    @Test func itKeepsTheContractOfLoadInterceptors() async throws {
        // A request that the interceptor changes.
        let request = ImageRequest(url: URL(string: "https://example.org/__name__.jpg")!, size: PixelSize(320))
        try await checkLoadInterceptorConformance(request: request) { __Type__() }
    }
}
