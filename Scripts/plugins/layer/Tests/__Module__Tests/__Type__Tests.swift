import CalotypeTesting
import ImageCore
import Testing
import __Module__

@Suite(.timeLimit(.minutes(1))) struct __Type__Tests {
    @Test func itKeepsTheContractOfNetworkLayers() async throws {
        // Take a resource of each kind that the layer has, one of them larger than a chunk.
        let url = try #require(URL(string: "__name__://album/cat.jpg"))
        let missing = try #require(URL(string: "__name__://album/missing.jpg"))
        try await checkDataLoadingConformance(
            samples: [LoadingSample(url, data: Data("the bytes of the resource".utf8))], missing: [missing]
        ) { __Type__() }
    }
}
