import CalotypeTesting
import Foundation
import SignedRequests
import Testing

@Test(.timeLimit(.minutes(1))) func signingInterceptorKeepsTheContract() async throws {
    @Sendable func signing(_ user: String) -> AWSSigningInterceptor {
        AWSSigningInterceptor(hosts: ["album.example.org"], user: user, region: "eu-west-1") { .example }
    }
    let url = URL(string: "https://album.example.org/cat.jpg")
    try await checkInterceptorConformance(url: url, others: [signing("bob")]) { signing("ann") }
}
