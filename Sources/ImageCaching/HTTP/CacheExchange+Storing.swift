internal import HTTPTypes
internal import ImageCore

// What an exchange stores and removes.
//
// A stored image is never replaced or removed by a response that is none: a response with an error status or an empty
// body is stored only where no successful response is stored for the URL, and none of them removes one. The exceptions
// are statements of the origin: a 410 removes the image, which is gone for good, and so does a 304 that forbids to
// store it. Whether the body of a success is an image, a caller that defers storing decides.
extension CacheExchange {
    /// Returns the response of the server, which is stored when its body is complete: by its `commit` if the request
    /// defers storing, otherwise once the body was read to its end.
    ///
    /// The engine commits no response with an error status, so such a response is always stored by reading it.
    func keep(_ fetched: DataResponse, _ times: Times) async -> DataResponse {
        if request.method == .head {
            await freshen(by: fetched.head, times)
            return fetched
        }
        if fetched.head.status == .gone, request.cachePolicy.writesDisk { await removeMatch() }
        let response = storedResponse(of: fetched, times)
        let isCommitted = response.head.status.kind == .successful
        let isAllowed = policy.allowsStoring(response, for: isCommitted ? committedRequest : request)
        return isAllowed ? await keep(fetched, as: response) : fetched
    }

    /// The request for which a commit stores. A caller that defers storing decides at the commit whether anything is
    /// stored: a load that wants it may have joined since the request was sent.
    private var committedRequest: DataRequest {
        var committed = request
        if request.defersStoring { committed.cachePolicy.insert(.writesDisk) }
        return committed
    }

    private func storedResponse(of fetched: DataResponse, _ times: Times) -> StoredResponse {
        var response = StoredResponse(fetched.head, to: request, requestedAt: times.requestedAt, receivedAt: times.receivedAt)
        response.redirect = redirect(of: fetched, times)
        return response
    }

    func redirect(of fetched: DataResponse, _ times: Times) -> ResponseRedirect? {
        StoredResponse.redirect(
            from: request.url, to: fetched.url, by: fetched.redirects, requestedAt: times.requestedAt,
            receivedAt: times.receivedAt, under: policy)
    }

    private func keep(_ fetched: DataResponse, as response: StoredResponse) async -> DataResponse {
        guard fetched.expectedBytes ?? 0 <= cache.maximumStoredBytes else { return fetched }
        var kept = fetched
        kept.redirect = response.redirect
        if request.defersStoring, response.head.status.kind == .successful {
            kept.commit = { try await store(response, $0) }
        } else if let whole = fetched.body.wholeData {
            // A failed store costs only a hit.
            try? await store(response, whole)
        } else {
            let recorder = BodyRecorder(fetched.body, limit: cache.maximumStoredBytes) { try? await store(response, $0) }
            kept.body = ByteStream { try await recorder.next() }
        }
        return kept
    }

    private func store(_ response: StoredResponse, _ data: Data) async throws {
        // A body of another length than announced is incomplete, even if its stream ended without an error.
        guard data.count <= cache.maximumStoredBytes, response.isWhole(byteCount: data.count), !isOutdated(response) else {
            return
        }
        if response.head.status.kind != .successful || data.isEmpty {
            // What other loads have stored since the lookup counts too. A new primary entry would hide the variants of
            // the old one.
            let found = try await cache.find(request).entries
            guard found.match?.head.status.kind != .successful, found.primary?.mayHideImages != true else { return }
        }
        try await put(response, data)
    }

    /// Stores the updated head of the matching response; removes the response if it must no longer be stored.
    func update(_ response: StoredResponse, _ data: Data) async throws {
        guard !isOutdated(response) else { return }
        if policy.allowsStoring(response, for: committedRequest) {
            try await put(response, data, isUpdate: true)
        } else if request.cachePolicy.writesDisk {
            await removeMatch()
        }
    }

    private func put(_ response: StoredResponse, _ data: Data, isUpdate: Bool = false) async throws {
        ticket.willStore(response)
        let key = try await cache.put(response, data, on: entries, isUpdate: isUpdate)
        // The check and the store are not one step: what came in between makes this response a miss.
        if ticket.isOutdated(response) { try await cache.store.removeEntry(for: key) }
    }

    /// Whether a response must not be stored: the resource was changed while the exchange ran, or a newer response is
    /// stored (RFC 9111, section 4). A reload replaces what was stored before it, whatever the dates say.
    private func isOutdated(_ response: StoredResponse) -> Bool {
        if ticket.isOutdated(response) { return true }
        guard let match = entries.match, request.cachePolicy.readsDisk, match.isFresh(at: cache.now(), under: policy) else {
            return false
        }
        return match.isNewer(than: response)
    }

    private func removeMatch() async {
        guard entries.match != nil else { return }
        try? await cache.store.removeEntry(for: entries.matchKey)
    }

    /// Updates the stored response by a 200 to HEAD (RFC 9111, section 4.3.5). If that names another version, the
    /// stored one is stale, but stays.
    private func freshen(by head: HTTPResponse, _ times: Times) async {
        guard head.status == .ok, let match = try? await storedMatch(), match.response.head.status == .ok else { return }
        var read = self
        read.request.method = .get
        let updated = match.response.freshened(
            byHead: head, to: request, requestedAt: times.requestedAt, receivedAt: times.receivedAt)
        try? await read.update(updated ?? match.response.markedStale, match.data)
    }
}

/// Passes a body through, and calls `onEnd` with all of it at its end. Drops the bytes if the body exceeds the limit,
/// fails or is not read to its end.
private final class BodyRecorder: Sendable {
    private let reader: ByteStreamReader
    /// `nil` once the body is too long or has ended.
    private let recorded = Lock<BodyBytes?>(BodyBytes())
    private let limit: Int
    private let onEnd: @Sendable (Data) async -> Void

    init(_ body: ByteStream, limit: Int, onEnd: @escaping @Sendable (Data) async -> Void) {
        reader = ByteStreamReader(body)
        (self.limit, self.onEnd) = (limit, onEnd)
    }

    func next() async throws -> Data? {
        // The recorded bytes are lost if the body fails here.
        var bytes = recorded.withLock { $0.take() }
        guard let chunk = try await reader.next() else {
            if let bytes { await onEnd(bytes.data) }
            return nil
        }
        if let count = bytes?.count, count + chunk.count <= limit, bytes?.append(chunk) == true {
            let longer = bytes
            recorded.withLock { $0 = longer }
        }
        return chunk
    }
}
