import Dispatch
import Foundation
import HTTPTypes
@testable import ImageCaching
@testable import ImageCore
@testable import ImageNetworking
@testable import ImageNetworkingCurl

/// Fuzzes what reads the text of callers and servers. The input is used as a URL, as the data of a `data:` URL, and as
/// the header section of a response, with what redirects, the HTTP cache, retries and resumption make of it.
enum HTTPFuzzing {
    static func run(_ input: Data) {
        let bytes = Array(input)
        checkURL(bytes)
        checkDataURL(bytes)
        checkHeaders(bytes)
    }

    // MARK: URLs

    private static func checkURL(_ bytes: [UInt8]) {
        let reference = URL.percentEncodingInvalidBytes(of: bytes)
        check(URL.percentEncodingInvalidBytes(of: reference.utf8) == reference, "a reference is encoded twice")
        check(reference.utf8.count <= 3 * bytes.count, "a byte became more than three")
        guard let url = URL(lenient: String(decoding: bytes, as: UTF8.self)) else { return }
        let text = url.absoluteString
        check(URL(lenient: text)?.absoluteString == text, "a URL is encoded twice: \(text)")
        _ = ImageSource.redacted(url)
        _ = ImageRequest(url: url).resource
        guard let address = try? WebAddress(url) else { return }
        let same = try? WebAddress(address.text)
        check(same?.origin == address.origin && same?.text == address.text, "an address is read in two ways: \(text)")
        check(same?.credentials == nil, "credentials are left in an address: \(text)")
    }

    private static func checkDataURL(_ bytes: [UInt8]) {
        let plain = "data:;base64," + Data(bytes).base64EncodedString()
        check((try? load(plain, limit: bytes.count))?.count == bytes.count, "base64 gives other data")
        let text = "data:" + String(decoding: bytes, as: UTF8.self)
        guard let data = attempt({ try load(text, limit: 1_000) }) else { return }
        check(data.count <= min(1_000, 3 * text.utf8.count), "a data URL has \(data.count) bytes")
    }

    private static func load(_ text: String, limit: Int) throws -> Data {
        guard let url = URL(lenient: text) else { return Data() }
        let response = try wait { try await DataURLLoader(maximumResponseBytes: limit).load(DataRequest(url: url)) }
        return response.body.wholeData ?? Data()
    }

    // MARK: Response headers

    private static func checkHeaders(_ bytes: [UInt8]) {
        var headers = ResponseHeaders()
        var rest = bytes[...]
        while !rest.isEmpty, !headers.isComplete || headers.isInterim {
            let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
            guard headers.append(rest[..<end]) != .tooLarge else { return }
            rest = rest[end...]
        }
        // An empty line ends a section without one.
        if !headers.isComplete { _ = headers.append([0x0D, 0x0A]) }
        check(headers.contentLength ?? 0 >= 0, "a negative length")
        _ = headers.needsLibraryToDecode
        var decoded = headers
        decoded.removeContentCoding()
        check(headers.codings.isEmpty || decoded.contentLength == nil, "the length of coded bytes is left")
        checkCoding(headers.codings, Array(rest))
        if let location = headers.redirect { checkRedirect(headers.response, location) }
        checkCaching(headers.response)
        checkRest(headers.response, Array(rest))
    }

    /// Decodes coded bytes, whole and in two parts, which makes no difference.
    private static func checkCoding(_ codings: [String], _ body: [UInt8]) {
        guard codings.count <= ContentDecoder.maximumCodings, ContentDecoder(codings) != nil else { return }
        func decoded(_ parts: [ArraySlice<UInt8>]) -> (data: Data, isValid: Bool)? {
            guard let decoder = ContentDecoder(codings) else { return nil }
            var data = Data()
            let isValid = parts.allSatisfy { part in
                unsafe part.withUnsafeBytes { bytes in
                    unsafe decoder.decode(bytes) { decoded in
                        unsafe data.append(contentsOf: decoded)
                        return data.count < 1 << 20
                    }
                }
            }
            return (data, isValid && decoder.isComplete)
        }
        let middle = body.count / 2
        let (whole, parts) = (decoded([body[...]]), decoded([body[..<middle], body[middle...]]))
        guard let whole, let parts, whole.isValid || parts.isValid else { return }
        check(whole == parts, "coded bytes in two parts make \(parts.data.count) bytes, not \(whole.data.count)")
    }

    private static func checkRedirect(_ response: HTTPResponse, _ location: String) {
        let request = DataRequest(url: origin, headerFields: [.authorization: "Bearer secret"])
        guard let first = attempt({ try Hop.first(of: request) }),
            let next = attempt({ try Redirect.hop(after: first, response: response, location: location, source: "a") })
        else { return }
        let address = next.address
        check(address.credentials == nil && !address.text.contains("#"), "a redirect keeps \(address.text)")
        check(
            next.headerFields[.authorization] == nil || address.origin == first.address.origin,
            "credentials are sent to \(address.origin.host)")
        check((try? WebAddress(address.text))?.origin == address.origin, "an address is read in two ways: \(address.text)")
        let again = attempt { try Redirect.hop(after: next, response: response, location: address.text, source: "a") }
        check(again?.address.text == address.text, "\(address.text) becomes \(again?.address.text ?? "an error")")
    }

    private static func checkCaching(_ head: HTTPResponse) {
        let (request, arrival) = (DataRequest(url: origin), 1_700_000_000.0)
        let response = StoredResponse(head, to: request, requestedAt: arrival - 1, receivedAt: arrival)
        let lifetime = response.lifetime(under: .standard)
        check(lifetime >= 0 && lifetime.isFinite, "a lifetime of \(lifetime) s")
        for now in [arrival, arrival + 1e5, arrival - 1e5, arrival + 1e10] {
            let age = response.age(at: now)
            check(age >= 0 && age.isFinite, "an age of \(age) s")
            _ = HTTPCachePolicy.standard.decision(for: request, stored: response, now: now)
            _ = HTTPCachePolicy.standard.staleReply(for: request, stored: response, after: .status(503), now: now)
        }
        _ = response.validated(by: head, to: request, requestedAt: arrival, receivedAt: arrival)
        _ = StoredResponse.redirect(
            from: origin, to: URL(filePath: "/b"), by: [head], requestedAt: arrival, receivedAt: arrival, under: .standard)
        let data = Data(count: min(4_096, head.headerFields[.contentLength].flatMap(ContentLength.bytes) ?? 0))
        // The text may be that of a stored entry.
        for entry in [
            DataEntry(data: data, head: head, storedAt: arrival),
            EntryMetadata.encode(StoredEntry(response: response, data: data, generation: EntryMetadata.newGeneration())),
        ] {
            guard let stored = EntryMetadata.decode(entry) else { continue }
            let again = EntryMetadata.decode(EntryMetadata.encode(stored))
            check(again?.response == stored.response, "a stored response changes")
        }
        if let seconds = RetryAfter.seconds(in: head, now: Int(arrival)) {
            check(seconds >= 0, "a pause of \(seconds) s")
            let decision = RetryPolicy.default.decision(
                after: .status(503, retryAfter: seconds), method: .get, attempt: 1, allowedRetries: nil, random: 0.5)
            if case .retry(let delay) = decision {
                check(delay <= RetryPolicy.default.maximumDelay, "a retry after \(delay)")
            }
        }
    }

    // MARK: Resumption

    /// Interrupts a body of twenty bytes, and sends the response as its rest.
    private static func checkRest(_ head: HTTPResponse, _ body: [UInt8]) {
        if let range = ContentRange(head.headerFields[.contentRange]) {
            check(range.first >= 0 && range.first <= range.last && range.last < range.total ?? .max, "a range is \(range)")
        }
        var head = head
        head.status = .partialContent
        let loader = ResumingLoader(Interruption(rest: DataResponse(url: origin, head: head, body: ByteStream(Data(body)))))
        let result = attempt {
            try wait {
                var data = Data()
                for try await chunk in try await loader.load(DataRequest(url: origin, retries: 1)).body { data += chunk }
                return data
            }
        }
        check(result.map { $0.count == 20 } ?? true, "a resumed body has another length")
    }

    /// Begins a body of twenty bytes, and responds to a request for the rest.
    private struct Interruption: DataLoading {
        let rest: DataResponse

        func load(_ request: DataRequest) async throws -> DataResponse {
            if request.headerFields[.range] != nil { return rest }
            let fields: HTTPFields = [.eTag: "\"a\"", .acceptRanges: "bytes", .contentLength: "20"]
            let chunks = Lock([Data(count: 10)])
            return DataResponse(
                url: request.url, head: HTTPResponse(status: .ok, headerFields: fields),
                body: ByteStream {
                    guard let chunk = chunks.withLock({ $0.popLast() }) else {
                        throw ImageError(.connectionLost, message: "The connection was closed.")
                    }
                    return chunk
                })
        }
    }

    // A constant, which is a URL.
    private static let origin = URL(string: "https://example.org/images/a.png?w=1") ?? URL(filePath: "/a")

    private static func wait<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) throws -> R {
        let result = Lock<Result<R, any Error>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            do {
                let value = try await body()
                result.withLock { $0 = .success(value) }
            } catch {
                result.withLock { $0 = .failure(error) }
            }
            isDone.signal()
        }
        isDone.wait()
        guard let result = result.withLock({ $0 }) else { fatalError("no result") }
        return try result.get()
    }
}
