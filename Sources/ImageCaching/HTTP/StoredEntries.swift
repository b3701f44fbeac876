internal import ImageCore

/// What is stored for one request, without bodies: what later decisions need of the first response of its URL, and the head of the
/// response that matches the request.
struct StoredEntries: Sendable {
    /// The first response of the URL.
    struct Base: Sendable {
        let generation: String
        let vary: VaryKey?
    }

    let baseKey: DataKey
    /// The key of ``match``, or the one that it would have.
    let matchKey: DataKey
    var base: Base?
    var match: StoredResponse?

    var responses: [StoredResponse] { match.map { [$0] } ?? [] }
}

/// One lookup in an ``HTTPCache``.
struct CacheLookup: Sendable {
    let entries: StoredEntries
    /// The match with its body, for a reply that is sent at once.
    let match: StoredEntry?
}

/// What an ``HTTPCache`` knows of a request that needs the network. A load may wait for minutes before its fetch starts, so the
/// transaction holds heads and no body; ``CacheExchange`` reads the body again when the response of the server needs it.
struct HTTPCacheTransaction: ResponseTransaction {
    let cache: HTTPCache.Identity
    let entries: StoredEntries
}

extension StoredEntry {
    /// The response that a reply describes, which was made of this entry.
    func response(_ reply: HTTPCacheReply, to request: DataRequest) throws(ImageError) -> DataResponse {
        if let limit = request.maximumBytes, reply.bytes.count > limit {
            throw ImageError.tooLarge(ImageSource.redacted(request.url), reply.bytes.count, limit)
        }
        let start = data.startIndex
        let body =
            reply.bytes.count == data.count
            ? data : data.subdata(in: start + reply.bytes.lowerBound..<start + reply.bytes.upperBound)
        return DataResponse(url: request.url, head: reply.head, body: ByteStream(body), tier: .disk)
    }
}
