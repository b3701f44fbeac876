import CalotypeTesting
import ImageCore
import Testing
import __Module__

@Suite(.timeLimit(.minutes(1))) struct __Type__Tests {
    @Test func itKeepsTheContractOfInterceptors() async throws {
        try await checkInterceptorConformance(others: [__Type__(user: "bob")]) { __Type__(user: "ann") }
    }
}
