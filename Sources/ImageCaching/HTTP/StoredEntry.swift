internal import HTTPTypes
internal import ImageCore

/// A stored response with its body.
struct StoredEntry: Sendable {
    var response: StoredResponse
    var data: Data
    /// Distinguishes variants that were stored after the last removal of the URL from older ones.
    var generation: String

    /// The response that a reply describes.
    func response(_ reply: HTTPCacheReply, to request: DataRequest) throws(ImageError) -> DataResponse {
        let body = request.method == .head ? Data() : data
        if let limit = request.maximumResponseBytes, body.count > limit {
            throw ImageError.tooLarge(ImageSource.redacted(request.url), announced: body.count, limit: limit)
        }
        var served = DataResponse(url: request.url, head: reply.head, body: ByteStream(body), tier: .disk)
        served.redirect = response.redirect
        return served
    }
}

/// The stored entries for one request, without bodies: the parts of the primary entry that later decisions need, and
/// the headers of the matching response.
struct StoredEntries: Sendable {
    /// The entry under the primary key of the URL.
    struct PrimaryEntry: Sendable {
        let generation: String
        let vary: VaryKey?
        /// Whether it is a success, or others may be: the entries of other variants count only as long as it is stored.
        let mayHideImages: Bool
    }

    let primaryKey: DataKey
    /// The key of ``match``, or the key under which a match would be stored.
    var matchKey: DataKey
    /// When the request began, for ``StoreGate``: a response is not stored after the cache was cleared.
    let storeEpoch: Int
    var primary: PrimaryEntry?
    var match: StoredResponse?
}

/// One lookup in an ``HTTPCache``.
struct CacheLookup: Sendable {
    let entries: StoredEntries
    /// The matching response with its body.
    let match: StoredEntry?
}

/// The result of a lookup for a request that needs the network. It holds no body, since a load may wait for minutes
/// before its fetch starts; ``CacheExchange`` reads the body again when the response of the server needs it.
struct HTTPCacheTransaction: ResponseTransaction {
    let cache: OpenExchanges
    let entries: StoredEntries
}

/// Stands for the revalidation of a response that was served. The loader looks the cache up again, since another load
/// may have refreshed the response while this request waited.
struct HTTPCacheRevalidation: ResponseTransaction {}

/// The form of a stored response in a data cache: the body as data, and the response headers with one more field, which
/// holds the rest. For a response that varies and came without redirects:
///
/// ```
/// Calotype-Stored: 1 1700000000.25 9f3c01d2a45b6e78 5f0c…(64 digits) -
/// ```
///
/// The words are: version of this format, time of the request, generation, digest of the request fields that `Vary`
/// lists, and where redirects led: digests of the URL with and without its query, and until when they hold. An entry
/// without the field, of another version, or with contradictions is a miss.
enum EntryMetadata {
    static let fieldName = HTTPField.Name("Calotype-Stored") ?? .date
    private static let version = "1"

    static func encode(_ entry: StoredEntry) -> DataEntry {
        let response = entry.response
        let vary = response.vary?.digest ?? "-"
        let redirect = response.redirect.map { "\($0.target):\($0.place):\($0.freshUntil)" } ?? "-"
        var head = response.head
        head.headerFields[fieldName] = "\(version) \(response.requestedAt) \(entry.generation) \(vary) \(redirect)"
        return DataEntry(data: entry.data, head: head, storedAt: response.receivedAt)
    }

    static func decode(_ entry: DataEntry) -> StoredEntry? {
        var head = entry.head
        guard let line = removeOwnField(from: &head) else { return nil }
        let words = line.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map { String(Substring($0)) }
        guard words.count == 5, words[0] == version, let requestedAt = Double(words[1]), isPlausibleTime(requestedAt),
            isPlausibleTime(entry.storedAt), isDigest(words[2], digits: 16), words[3] == "-" || isDigest(words[3], digits: 64),
            let redirect = redirect(words[4])
        else { return nil }
        let names = VaryKey.names(in: head.headerFields[values: .vary]) ?? []
        // Either both `Vary` and the digest exist, or neither.
        guard names.isEmpty == (words[3] == "-") else { return nil }
        let response = StoredResponse(
            head: head, requestedAt: requestedAt, receivedAt: entry.storedAt,
            vary: names.isEmpty ? nil : VaryKey(names: names, digest: words[3]), redirect: redirect)
        guard response.isWhole(byteCount: entry.data.count) else { return nil }
        return StoredEntry(response: response, data: entry.data, generation: words[2])
    }

    /// Where redirects led, `.some(nil)` for no redirects; `nil` if the word is damaged.
    private static func redirect(_ word: String) -> ResponseRedirect?? {
        if word == "-" { return .some(nil) }
        let parts = word.split(separator: ":", omittingEmptySubsequences: false).map { String($0) }
        guard parts.count == 3, isDigest(parts[0], digits: 64), isDigest(parts[1], digits: 64), let freshUntil = Double(parts[2]),
            isPlausibleTime(freshUntil)
        else { return nil }
        return ResponseRedirect(target: parts[0], place: parts[1], freshUntil: freshUntil)
    }

    /// Removes the cache's own field, which is the last one; returns `nil` if it is missing or repeated.
    private static func removeOwnField(from head: inout HTTPResponse) -> String? {
        guard let last = head.headerFields.last, last.name == fieldName else { return nil }
        head.headerFields.removeLast()
        return head.headerFields.contains(fieldName) ? nil : last.value
    }

    static func newGeneration() -> String { UInt64.random(in: .min ... .max).hexDigits }

    /// Whether a time in seconds is plausible.
    private static func isPlausibleTime(_ seconds: Double) -> Bool { seconds >= 0 && seconds < 1e12 }

    private static func isDigest(_ text: String, digits: Int) -> Bool {
        text.utf8.count == digits && text.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
    }
}
