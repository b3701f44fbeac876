internal import ImageCore

/// What is stored for one request: the first response of its URL, and the one that matches it.
struct StoredEntries: Sendable {
    var baseKey: DataKey
    /// The place of ``match``, or where it would be.
    var matchKey: DataKey
    var base: StoredEntry?
    var match: StoredEntry?

    var responses: [StoredResponse] { match.map { [$0.response] } ?? [] }

    /// The response that a reply describes. The one stored is the only one there is to choose from.
    func response(_ reply: HTTPCacheReply, to request: DataRequest) throws(ImageError) -> DataResponse {
        let data = match?.data ?? Data()
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
