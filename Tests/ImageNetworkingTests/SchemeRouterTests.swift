import HTTPTypes
import ImageCore
import ImageNetworking
import NetworkTestKit
import Testing

/// Responds with its name.
private struct Named: DataLoading {
    let name: String
    func load(_ request: DataRequest) async throws -> DataResponse {
        DataResponse(url: request.url, body: ByteStream(Data(name.utf8)))
    }
}

private func request(_ text: String) throws -> DataRequest { DataRequest(url: try #require(URL(string: text))) }

@Suite(.timeLimit(.minutes(1))) struct SchemeRouting {
    let router = SchemeRouter.standard(network: Named(name: "network"))

    @Test(arguments: [("http://a/", "network"), ("HTTPS://a/", "network"), ("data:,text", "text"), ("Data:,text", "text")])
    func aSchemeMatchesInAnyCase(_ url: String, _ answer: String) async throws {
        #expect(try await router.load(try request(url)).body.text() == answer)
    }

    @Test func anUnknownSchemeIsAnErrorThatNamesTheKnownOnes() async throws {
        let error = try await imageError { _ = try await router.load(try request("gopher://a/b")) }
        #expect(error.code == .unsupportedScheme)
        #expect(
            error.message
                == "No loader is registered for the scheme “gopher” of gopher://a/b; the registered ones are data, file, http, https."
        )
    }

    @Test func customLoadersWinOverBuiltInOnes() async throws {
        let own = router.registering(Named(name: "mine"), for: ["HTTP", "archive"])
        #expect(try await own.load(try request("http://a/")).body.text() == "mine")
        #expect(try await own.load(try request("archive:a")).body.text() == "mine")
        #expect(try await own.load(try request("https://a/")).body.text() == "network")
        #expect(try await own.load(try request("ARCHIVE:a")).body.text() == "mine")
    }

    @Test func aPathWithoutASchemeIsAFile() async throws {
        let error = try await imageError { _ = try await router.load(try request("/no/such/file")) }
        #expect(error.code == .fileUnreadable)
    }
}

@Suite(.timeLimit(.minutes(1))) struct Interception {
    /// Records the order of calls.
    private struct Tagging: RequestInterceptor {
        let name: HTTPField.Name
        let log: Log
        func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
            log.add("\(name) before")
            var changed = request
            changed.headerFields[name] = "set"
            defer { log.add("\(name) after") }
            return try await next(changed)
        }
    }

    private struct Changing: RequestInterceptor {
        let change: @Sendable (inout DataRequest) -> Void
        func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
            var changed = request
            change(&changed)
            return try await next(changed)
        }
    }

    private struct Answering: RequestInterceptor {
        func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
            DataResponse(url: request.url, body: ByteStream(Data("answered".utf8)))
        }
    }

    private struct Twice: RequestInterceptor {
        func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
            _ = try await next(request)
            return try await next(request)
        }
    }

    private final class Log: Sendable {
        private let lines = Lock<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    /// Responds with the names of the received header fields.
    private struct Echo: DataLoading {
        let log: Log
        func load(_ request: DataRequest) async throws -> DataResponse {
            log.add("load")
            return DataResponse(
                url: request.url, body: ByteStream(Data(request.headerFields.map { "\($0.name)" }.joined(separator: " ").utf8)))
        }
    }

    @Test func theFirstInterceptorIsOutermost() async throws {
        let log = Log()
        let loader = InterceptedLoader(
            Echo(log: log), interceptors: [Tagging(name: .accept, log: log), Tagging(name: .cookie, log: log)])
        #expect(try await loader.load(try request("http://a/")).body.text() == "Accept Cookie")
        #expect(log.all == ["Accept before", "Cookie before", "load", "Cookie after", "Accept after"])
    }

    @Test func anInterceptorMayRespondItselfOrRetry() async throws {
        let log = Log()
        let answered = InterceptedLoader(Echo(log: log), interceptors: [Answering(), Tagging(name: .accept, log: log)])
        #expect(try await answered.load(try request("http://a/")).body.text() == "answered")
        #expect(log.all == [])
        _ = try await InterceptedLoader(Echo(log: log), interceptors: [Twice()]).load(try request("http://a/"))
        #expect(log.all == ["load", "load"])
    }

    @Test func withoutInterceptorsTheLoaderIsCalledDirectly() async throws {
        #expect(try await InterceptedLoader(Named(name: "x"), interceptors: []).load(try request("http://a/")).body.text() == "x")
    }

    @Test func theURLMayNotChange() async throws {
        let other = try request("http://b/").url
        let loader = InterceptedLoader(Named(name: "x"), interceptors: [Changing { $0.url = other }])
        let error = try await imageError { _ = try await loader.load(try request("http://user:secret@a/")) }
        #expect(error.code == .plugInFailed)
        #expect(error.message.hasPrefix("The interceptor Changing changed the URL, which is the key of the image in all caches;"))
        #expect(error.source == "http://a/")
    }

    @Test func interceptorsMayOnlyRestrictTheRequest() async throws {
        var limited = try request("http://a/")
        limited.maximumResponseBytes = 10
        limited.allowsExpensiveNetwork = false
        let refused: [@Sendable (inout DataRequest) -> Void] = [
            { $0.maximumResponseBytes = 11 }, { $0.maximumResponseBytes = nil }, { $0.allowsExpensiveNetwork = true },
        ]
        for change in refused {
            let loader = InterceptedLoader(Named(name: "x"), interceptors: [Changing(change: change)])
            #expect(try await imageError { _ = try await loader.load(limited) }.code == .plugInFailed)
        }
        let loader = InterceptedLoader(Named(name: "x"), interceptors: [Changing { $0.maximumResponseBytes = 9 }])
        #expect(try await loader.load(limited).body.text() == "x")
    }

    @Test func anInterceptorCannotOverrideTheCachePolicy() async throws {
        var cached = try request("http://a/")
        cached.cachePolicy = [.onlyIfCached, .readsDisk]
        let refused: [(change: @Sendable (inout DataRequest) -> Void, reason: String)] = [
            ({ $0.cachePolicy.remove(.onlyIfCached) }, "allowed the network"),
            ({ $0.cachePolicy.insert(.writesDisk) }, "allowed storing the response on disk"),
        ]
        for (change, reason) in refused {
            let loader = InterceptedLoader(Named(name: "x"), interceptors: [Changing(change: change)])
            let error = try await imageError { _ = try await loader.load(cached) }
            #expect(error.code == .plugInFailed)
            #expect(error.message.contains(reason))
        }
        let stricter = InterceptedLoader(Named(name: "x"), interceptors: [Changing { $0.cachePolicy.remove(.readsDisk) }])
        #expect(try await stricter.load(cached).body.text() == "x")
    }
}
