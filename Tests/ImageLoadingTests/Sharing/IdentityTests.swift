import CalotypeTesting
import HTTPTypes
import ImageCore
import ImageLoading
import Testing

/// What shares a response (FEATURES 2.3).
@Suite(.timeLimit(.minutes(1)))
struct RequestIdentities {
    /// Adds a token that is renewed at each fetch, and declares the user.
    private struct Token: RequestInterceptor {
        let user: String?

        func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
            var signed = request
            signed.headerFields[.authorization] = user
            return try await next(signed)
        }

        func identity(for url: URL) -> String? { user }
    }

    /// A server whose image depends on the user, or on the method and the body.
    private static func network(_ gate: Gate = Gate(isOpen: true)) -> ScriptedLoader {
        ScriptedLoader(gate: gate) { request in
            let text = request.headerFields[.authorization] ?? request.body.map { String(decoding: $0, as: UTF8.self) } ?? "-"
            return .body(Data([text.utf8.first ?? 0]))
        }
    }

    private func request(_ user: String?) -> ImageRequest {
        ImageRequest(url: url("x"), options: OptionLayer { $0.interceptors = [Token(user: user)] })
    }

    private func value(_ character: Character) -> UInt8 { character.asciiValue ?? 0 }

    @Test func loadsOfTwoUsersShareNothingInFlight() async throws {
        let bench = Bench(network: Self.network(Gate()))
        let loads = ["ann", "bob", "ann", nil].map { bench.loader.task(for: request($0)) }
        await bench.network.waitForRequests(3)
        bench.network.gate.open()
        var seen: [UInt8] = []
        for load in loads { seen.append(red(try await load.response.image)) }
        #expect(seen == [value("a"), value("b"), value("a"), value("-")])
        #expect(bench.network.requests.count == 3)
    }

    @Test(arguments: [CachePolicy.memoryOnly, .diskOnly])
    func loadsOfTwoUsersShareNoEntry(_ policy: CachePolicy) async throws {
        let bench = Bench(network: Self.network())
        for (user, character) in [("ann", "a"), ("bob", "b"), ("ann", "a")] as [(String, Character)] {
            var request = request(user)
            request.options.cachePolicy = policy
            #expect(red(try await bench.loader.image(for: request)) == value(character))
            try await bench.loader.flush()
        }
        #expect(bench.network.requests.count == 2)
    }

    @Test func theInterceptorsOfALoaderAreKeptApartInSharedCaches() async throws {
        let (memory, disk) = (LoggedMemoryCache(), LoggedDataCache())
        func loader(_ user: String?, isListed: Bool) -> ImageLoader {
            let network = InterceptedLoader(Self.network(), interceptors: [Token(user: user)])
            var configuration = ImageLoader.Configuration(
                dataLoader: isListed ? Passing(loader: network) : network, decoder: ScriptedDecoder(), memoryCache: memory,
                dataCache: disk)
            if isListed { configuration.identifyingInterceptors = [Token(user: user)] }
            return ImageLoader(configuration)
        }
        for isListed in [false, true] {
            // The image of no user is stored under the key of the URL alone.
            #expect(red(try await loader(nil, isListed: isListed).image(for: url("x"))) == value("-"))
            #expect(red(try await loader("ann", isListed: isListed).image(for: url("x"))) == value("a"))
            #expect(red(try await loader("bob", isListed: isListed).image(for: url("x"))) == value("b"))
        }
        #expect(try await loader("ann", isListed: true).response(for: ImageRequest(url: url("x"))).tier == .memory)
        #expect(memory.keys.count == 3)
        #expect(memory.keys.allSatisfy { !$0.description.contains("ann") })
    }

    private struct Passing: DataLoading {
        let loader: any DataLoading
        func load(_ request: DataRequest) async throws -> DataResponse { try await loader.load(request) }
    }

    @Test func methodAndBodyAreSentAndArePartOfTheKey() async throws {
        let bench = Bench(network: Self.network())
        func post(_ body: String?, _ method: HTTPRequest.Method = .post) -> ImageRequest {
            var request = ImageRequest(url: url("x"))
            (request.method, request.body) = (method, body.map { Data($0.utf8) })
            return request
        }
        let requests = [post("first"), post("second"), post(nil), ImageRequest(url: url("x")), post("first", .get)]
        for request in requests { _ = try await bench.loader.image(for: request) }
        #expect(bench.network.requests.map(\.method) == [.post, .post, .post, .get, .get])
        #expect(bench.network.requests.map { $0.body?.count } == [5, 6, nil, nil, 5])
        #expect(Set(requests.map(\.resource)).count == 5)
        #expect(red(try await bench.loader.image(for: post("second"))) == value("s"))
        #expect(bench.network.requests.count == 5)
        #expect(post(nil, .get).resource == ImageRequest(url: url("x")).resource)
    }

    @Test func aFallbackIsFetchedWithoutTheBody() async throws {
        let bench = Bench(
            network: ScriptedLoader {
                $0.method == .post ? .failure(ImageError(.connectionLost, message: "Lost.")) : .body(Data([7]))
            })
        var request = ImageRequest(url: url("x"))
        (request.method, request.body, request.fallbacks) = (.post, Data([1]), [.url(url("y"))])
        _ = try await bench.loader.image(for: request)
        #expect(bench.network.requests.last?.method == .get && bench.network.requests.last?.body == nil)
    }
}
