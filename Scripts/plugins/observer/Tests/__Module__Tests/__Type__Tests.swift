import CalotypeTesting
import ImageCore
import Testing
import __Module__

@Suite(.timeLimit(.minutes(1))) struct __Type__Tests {
    @Test func itKeepsTheContractOfObservers() async throws {
        let (observer, request) = (__Type__(), ImageRequest(url: URL(filePath: "/cat.jpg")))
        let error = ImageError(.connectionLost, message: "The connection was lost.")
        observer.observe(.started, of: LoadID(rawValue: 1), request: request)
        observer.observe(.finished(.failure(.failed(error))), of: LoadID(rawValue: 1), request: request)
        try #require(observer.failures == 1, "__Type__ counts nothing yet: write observe(_:of:request:) first.")
        // `output:` returns what the observer writes elsewhere than to the standard output, such as to a log.
        try await checkObserverConformance(failures: { $0.failures }) { __Type__() }
    }
}
