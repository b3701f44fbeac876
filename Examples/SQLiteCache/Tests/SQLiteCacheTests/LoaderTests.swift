import CalotypeTesting
import Foundation
import ImageCaching
import ImageCore
import ImageLoading
import SQLiteCache
import Testing

@Suite(.timeLimit(.minutes(1))) struct LoaderTests {
    let url = URL(string: "https://example.org/cat.jpg")!

    @Test func aSecondLoaderReadsTheFileAndSendsNoRequest() async throws {
        let folder = try Folder()
        let network = ScriptedLoader { _ in .body(Data([7])) }
        for tier in [CacheTier.network, .disk] {
            // Without a memory cache.
            let loader = ImageLoader(
                ImageLoader.Configuration(dataLoader: network, decoder: ScriptedDecoder(), dataCache: folder.cache()))
            let response = try await loader.response(for: ImageRequest(url: url))
            #expect(response.tier == tier)
            #expect(TestImages.color(of: response.image)[0] == 7)
            try await loader.flush()
        }
        #expect(network.requests.count == 1)
    }

    @Test func theHTTPCacheConfirmsAStoredResponse() async throws {
        let folder = try Folder()
        let network = ScriptedLoader { request in
            let isKnown = request.headerFields[.ifNoneMatch] == "\"1\""
            let head = HTTPResponse(
                status: isKnown ? .notModified : .ok, headerFields: [.eTag: "\"1\"", .cacheControl: "max-age=0"])
            return .response(head, chunks: isKnown ? [] : [Data([7])])
        }
        for _ in 0..<3 {
            let cache = HTTPCache(store: folder.cache())
            var configuration = ImageLoader.Configuration(
                dataLoader: CachedLoader(network, cache: cache), decoder: ScriptedDecoder())
            configuration.responseCache = cache
            let loader = ImageLoader(configuration)
            #expect(TestImages.color(of: try await loader.image(for: ImageRequest(url: url)))[0] == 7)
            try await loader.flush()
        }
        #expect(network.requests.map { $0.headerFields[.ifNoneMatch] } == [nil, "\"1\"", "\"1\""])
    }

    @Test func clearedCachesHaveNoEntry() async throws {
        let network = ScriptedLoader { _ in .body(Data([7])) }
        let loader = ImageLoader(
            ImageLoader.Configuration(dataLoader: network, decoder: ScriptedDecoder(), dataCache: try Folder().cache()))
        for _ in 0..<2 {
            _ = try await loader.image(for: ImageRequest(url: url))
            try await loader.flush()
            try await loader.clearCaches()
        }
        #expect(network.requests.count == 2)
    }

    /// The directory below a file, and one in which no process may create a file.
    @Test(arguments: ["file/images", "/proc/images", "images"])
    func aLoadDoesNotFailBecauseOfADirectory(path: String) async throws {
        let folder = try Folder()
        let directory = URL(filePath: path, directoryHint: .isDirectory, relativeTo: folder.url)
        try Data().write(to: folder.url.appending(path: "file"))
        if path == "images" {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            // The file cannot be opened, not even by root.
            try FileManager.default.createDirectory(
                at: directory.appending(path: "images.sqlite"), withIntermediateDirectories: true)
        }
        let failures = Failures()
        var configuration = ImageLoader.Configuration(
            dataLoader: ScriptedLoader { _ in .body(Data([7])) }, decoder: ScriptedDecoder(),
            dataCache: SQLiteCache(.init(directory: directory)))
        configuration.observers = [failures]
        let loader = ImageLoader(configuration)
        #expect(TestImages.color(of: try await loader.image(for: ImageRequest(url: url)))[0] == 7)
        await #expect(throws: (any Error).self) { try await loader.flush() }
        // The lookup and the store.
        #expect(failures.log.count == 2)
    }
}

/// Records the errors of caches.
private struct Failures: LoadObserving {
    let log = EventLog<ImageError>()

    func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
        if case .cacheFailed(let error) = observation { log.append(error) }
    }
}
