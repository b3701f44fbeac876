internal import HTTPTypes
internal import ImageCore

// What an exchange stores and removes.
extension CacheExchange {
    /// Returns the response of the server, and stores it when its body is complete.
    func recorded(_ fetched: DataResponse, _ times: Times) async throws -> DataResponse {
        let response = received(fetched, times)
        if request.method == .head {
            await freshen(by: fetched.head, times)
            return fetched
        }
        // A server error does not replace an image.
        let keepsOld = response.head.status.code >= 500 && entries.match?.head.status.kind == .successful
        guard policy.allowsStoring(response, for: request), !keepsOld else {
            // A removed image must not be served stale later.
            if [404, 410].contains(response.head.status.code), request.cachePolicy.writesDisk { await removeMatch() }
            return fetched
        }
        return await recording(fetched, as: response) { await storeJoined(response, $0) }
    }

    /// Returns the response to a POST, and stores it as a response to GET if the policy allows that.
    func recordedPost(
        _ fetched: DataResponse, to post: DataRequest, contentLocation: URL?, requestedAt: Double
    ) async -> DataResponse {
        let response = received(fetched, Times(requestedAt: requestedAt, receivedAt: cache.now()))
        guard policy.allowsStoringPost(response, for: post, contentLocation: contentLocation) else { return fetched }
        return await recording(fetched, as: response) { await store(response.with(byteCount: $0.count), $0) }
    }

    /// Passes the complete body to `onEnd`: at once if it is in memory, otherwise when it has been read.
    func recording(
        _ fetched: DataResponse, as response: StoredResponse, onEnd: @escaping @Sendable (Data) async -> Void
    ) async -> DataResponse {
        let length = response.head.headerFields[.contentLength].flatMap { Int($0) }
        guard length ?? 0 <= cache.maximumStoredBytes else { return fetched }
        if let whole = fetched.body.wholeData {
            if whole.count <= cache.maximumStoredBytes { await onEnd(whole) }
            return fetched
        }
        return recording(fetched, after: Data(), upTo: cache.maximumStoredBytes, onEnd: onEnd)
    }

    func recording(
        _ fetched: DataResponse, after start: Data, upTo limit: Int, onEnd: @escaping @Sendable (Data) async -> Void
    ) -> DataResponse {
        let recorder = BodyRecorder(fetched.body, start: start, limit: limit, onEnd: onEnd)
        var recorded = fetched
        recorded.body = ByteStream { try await recorder.next() }
        return recorded
    }

    /// Stores a complete body, joined with the stored part if they are adjacent.
    private func storeJoined(_ response: StoredResponse, _ data: Data) async {
        let response = response.with(byteCount: data.count)
        guard response.part != nil, entries.match != nil else { return await store(response, data) }
        let found: StoredEntry?
        // A cancelled task cannot read the stored body, and must not replace it by a part.
        do { found = try await storedMatch() } catch { return }
        guard let match = found else { return await store(response, data) }
        let old = match.response
        if old.head.status == .ok, let validator = response.strongValidator, validator == old.strongValidator {
            // A part of the stored version: it confirms that version.
            let updated = old.updated(
                by: response.head, to: request, requestedAt: response.requestedAt, receivedAt: response.receivedAt)
            return await store(updated, match.data)
        }
        if let (joined, overlap) = old.joined(with: response), joined.byteCount <= cache.maximumStoredBytes {
            return await store(joined, match.data + data.dropFirst(overlap))
        }
        if let (joined, overlap) = response.joined(with: old), joined.byteCount <= cache.maximumStoredBytes {
            return await store(joined, data + match.data.dropFirst(overlap))
        }
        await store(response, data)
    }

    func store(_ response: StoredResponse, _ data: Data) async {
        // A body of another length than announced is incomplete, even if its stream ended without an error.
        guard EntryMetadata.isWhole(response), !isOutdated(response) else { return }
        // A failed store costs only a hit.
        if policy.allowsStoring(response, for: request) {
            turn.willStore(response)
            guard let key = try? await cache.put(response, data, for: request, on: entries) else { return }
            // The check and the store are not one step: what came in between makes this response a miss.
            if turn.isOutdated(response) { try? await cache.remove(key) }
        } else if entries.match != nil, request.cachePolicy.writesDisk {
            await removeMatch()
        }
    }

    /// Whether a response must not be stored: the resource was changed while the exchange ran, or a newer response is stored (RFC
    /// 9111, section 4). A reload replaces what was stored before it, whatever the dates say.
    private func isOutdated(_ response: StoredResponse) -> Bool {
        if turn.isOutdated(response) { return true }
        guard let match = entries.match, request.cachePolicy.readsDisk, match.isFresh(at: cache.now(), under: policy) else {
            return false
        }
        return match.isNewer(than: response)
    }

    private func removeMatch() async {
        guard entries.match != nil else { return }
        try? await cache.remove(entries.matchKey)
    }

    /// Updates the stored response by a 200 to HEAD (RFC 9111, section 4.3.5).
    private func freshen(by head: HTTPResponse, _ times: Times) async {
        guard head.status == .ok, request.cachePolicy.writesDisk, let match = try? await storedMatch(),
            match.response.head.status == .ok
        else { return }
        var read = self
        read.request.method = .get
        if let updated = match.response.freshened(
            byHead: head, to: request, requestedAt: times.requestedAt, receivedAt: times.receivedAt)
        {
            await read.store(updated, match.data)
        } else {
            await removeMatch()
        }
    }

    func received(_ fetched: DataResponse, _ times: Times) -> StoredResponse {
        var response = StoredResponse(
            fetched.head, to: request, requestedAt: times.requestedAt, receivedAt: times.receivedAt, byteCount: 0)
        response.redirect = redirect(of: fetched)
        return response
    }

    /// A digest of the URL that redirects led to; `nil` without redirects.
    func redirect(of fetched: DataResponse) -> String? {
        StoredResponse.redirect(from: request.url, to: fetched.url)
    }
}
