import CalotypeTesting
import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// A caching loader in front of a server with a list of responses, and a clock that the test advances.
final class CacheBench: Sendable {
    /// One response: status, header lines, body. Without a status the load fails as unreachable.
    struct Answer: Sendable {
        var status = 200
        var lines: [String] = []
        var body = "0123456789"
        var error: ImageError?
        var url: URL?

        init(_ status: Int = 200, _ lines: [String] = [], _ body: String = "0123456789") {
            self.status = status
            self.lines = lines
            self.body = body
        }

        static func failing(_ code: ImageError.Code) -> Answer {
            var answer = Answer()
            answer.error = ImageError(code, message: "No.")
            return answer
        }

        func from(_ url: String) -> Answer {
            var answer = self
            answer.url = URL(string: url)
            return answer
        }
    }

    private let answers: Lock<[Answer]>
    private let time = Lock(Wire.start)
    private let log = EventLog<DataRequest>()
    private let bodies = Lock(0)
    private let bodiesAtRequests = Lock<[Int]>([])
    let store: LoggedDataCache
    let gate: Gate
    private let policy: HTTPCachePolicy
    private let neutralFields: Set<String>

    init(
        _ answers: Answer..., store: LoggedDataCache = LoggedDataCache(), gate: Gate = Gate(isOpen: true),
        policy: HTTPCachePolicy = .standard, neutralFields: Set<String> = CacheBench.neutralFields
    ) {
        self.answers = Lock(answers)
        self.store = store
        self.gate = gate
        self.policy = policy
        self.neutralFields = neutralFields
    }

    /// The standard neutral fields, and those that tests list in `Vary`.
    static let neutralFields = HTTPCache.standardNeutralFields.union(["foo", "bar", "baz"])

    var cache: HTTPCache {
        HTTPCache(
            store: store, policy: policy, neutralFields: neutralFields, maximumStoredBytes: 1000,
            now: { [self] in now })
    }

    func makeLoader() -> CachedLoader { CachedLoader(Server(bench: self), cache: cache) }

    /// The requests that reached the server.
    var requests: [DataRequest] { log.events }
    var requestCount: Int { requests.count }
    /// The number of unreleased bodies of earlier responses at each request.
    var heldAtRequests: [Int] { bodiesAtRequests.withLock { $0 } }

    func waitForRequests(_ count: Int) async { await log.wait(forCount: count) }

    var now: Double { time.withLock { $0 } }

    func advance(_ seconds: Double) { time.withLock { $0 += seconds } }

    func add(_ answer: Answer) { answers.withLock { $0.append(answer) } }

    private final class Body: Sendable {
        private let bench: CacheBench

        init(_ bench: CacheBench) {
            self.bench = bench
            bench.bodies.withLock { $0 += 1 }
        }

        deinit { bench.bodies.withLock { $0 -= 1 } }
    }

    private struct Server: DataLoading {
        let bench: CacheBench

        func load(_ request: DataRequest) async throws -> DataResponse {
            let held = bench.bodies.withLock { $0 }
            bench.bodiesAtRequests.withLock { $0.append(held) }
            bench.log.append(request)
            try await bench.gate.pass()
            let (answer, now) = (bench.answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }, bench.time.withLock { $0 })
            guard let answer else { throw ImageError(.badResponse, message: "There is no answer left.") }
            if let error = answer.error { throw error }
            var lines = answer.lines
            if !lines.contains(where: { $0.hasPrefix("Date:") }) { lines.append("Date: {\(now - Wire.start)}") }
            let chunks = Lock(
                answer.body.utf8.isEmpty ? [] : [Data(answer.body.prefix(4).utf8), Data(answer.body.dropFirst(4).utf8)])
            return DataResponse(
                url: answer.url ?? request.url, head: Wire.head(lines, status: answer.status),
                body: ByteStream { [body = Body(bench)] in
                    withExtendedLifetime(body) { chunks.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
                })
        }
    }
}

/// The parts of a response that tests compare.
struct Seen: Hashable, Sendable {
    var status: Int
    var body: String
    var tier: CacheTier

    init(_ status: Int, _ body: String, _ tier: CacheTier) {
        self.status = status
        self.body = body
        self.tier = tier
    }

    /// A complete image.
    init(_ tier: CacheTier) { self.init(200, "0123456789", tier) }
}

extension CachedLoader {
    func response(_ lines: [String] = [], method: String = "GET", to url: URL = Wire.url, body: Data? = nil) async throws
        -> DataResponse
    {
        var request = Wire.request(lines, url: url)
        request.method = HTTPRequest.Method(method)!
        request.body = body
        return try await load(request)
    }

    /// Loads, and reads the body to its end.
    func see(_ request: DataRequest) async throws -> Seen {
        let response = try await load(request)
        return Seen(response.head.status.code, try await response.text, response.tier)
    }

    /// Loads, and reads the body to its end.
    func see(_ lines: [String] = [], method: String = "GET", to url: URL = Wire.url, body: Data? = nil) async throws -> Seen {
        let response = try await response(lines, method: method, to: url, body: body)
        return Seen(response.head.status.code, try await response.text, response.tier)
    }
}

extension DataRequest {
    /// The request of a caller that judges the body itself.
    static func deferring(_ transaction: (any ResponseTransaction)? = nil) -> DataRequest {
        var request = Wire.request()
        (request.defersStoring, request.cacheTransaction) = (true, transaction)
        return request
    }
}

extension HTTPCache {
    /// The response of a hit.
    func stored(_ request: DataRequest) async throws -> DataResponse? {
        if case .hit(let response, _) = try await lookUp(request) { response } else { nil }
    }
}

extension DataResponse {
    var text: String {
        get async throws {
            var data = Data()
            for try await chunk in body { data.append(chunk) }
            return String(decoding: data, as: UTF8.self)
        }
    }
}

/// Passes each response on once the gate lets it through.
struct HeldResponses: DataLoading {
    let gate: Gate
    let next: any DataLoading

    func load(_ request: DataRequest) async throws -> DataResponse {
        let response = try await next.load(request)
        try await gate.pass()
        return response
    }
}
