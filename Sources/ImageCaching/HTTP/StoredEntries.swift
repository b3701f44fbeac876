internal import ImageCore

/// The stored entries for one request, without bodies: the parts of the primary entry that later decisions need, and the headers
/// of the matching response.
struct StoredEntries: Sendable {
    /// The entry under the primary key of the URL.
    struct PrimaryEntry: Sendable {
        let generation: String
        let vary: VaryKey?
        /// Its entity tag, if that is strong.
        let tag: String?
    }

    let primaryKey: DataKey
    /// The key of ``match``, or the key under which a match would be stored.
    let matchKey: DataKey
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

/// The result of a lookup for a request that needs the network. It holds no body, since a load may wait for minutes before its
/// fetch starts; ``CacheExchange`` reads the body again when the response of the server needs it.
struct HTTPCacheTransaction: ResponseTransaction {
    let cache: OpenExchanges
    let entries: StoredEntries
    /// Whether the stored response was served, and the request only revalidates it.
    var isRevalidation = false
}

extension StoredEntry {
    /// The response that a reply of this entry describes.
    func response(_ reply: HTTPCacheReply, to request: DataRequest) throws(ImageError) -> DataResponse {
        if let limit = request.maximumResponseBytes, reply.bytes.count > limit {
            throw ImageError.tooLarge(ImageSource.redacted(request.url), announced: reply.bytes.count, limit: limit)
        }
        let start = data.startIndex
        let body =
            reply.bytes.count == data.count
            ? data : data.subdata(in: start + reply.bytes.lowerBound..<start + reply.bytes.upperBound)
        return DataResponse(url: request.url, head: reply.head, body: ByteStream(body), tier: .disk)
    }
}
