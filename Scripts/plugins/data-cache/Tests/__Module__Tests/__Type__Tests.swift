import CalotypeTesting
import ImageCore
import Testing
import __Module__

@Suite(.timeLimit(.minutes(1))) struct __Type__Tests {
    @Test func itKeepsTheContractOfDataCaches() async throws {
        // With `maximumBytes:` and `damage:`, the limit and damaged entries are checked too. Each call of the closure
        // makes an empty cache: with a folder or a file of its own, if it is on disk.
        try await checkDataCachingConformance { __Type__() }
    }
}
