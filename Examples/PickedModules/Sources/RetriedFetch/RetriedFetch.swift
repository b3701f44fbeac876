import ImageCore
import ImageNetworking
import ImageNetworkingFoundation

/// Fetches each URL by URLSession, and tries again after a transient failure.
@main
struct RetriedFetch {
    static func main() async throws {
        let loader = RetryingLoader(URLSessionLoader())
        for text in CommandLine.arguments.dropFirst() {
            guard let url = URL(string: text) else { continue }
            let response = try await loader.load(DataRequest(url: url))
            print("\(text): \(response.head.status)")
        }
    }
}
