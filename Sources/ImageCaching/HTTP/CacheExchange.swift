internal import HTTPTypes
internal import ImageCore

/// One request that the cache sends to the server, and how its response is combined with the stored one.
///
/// The exchange starts with the response headers that the lookup found, and reads the stored response again, with its body, once the
/// server has responded. So it sees what other loads, or the user, have stored or removed since the lookup. A 304 confirms the stored
/// response only if that has the validators that were sent; a part is joined only with an adjacent part. If no usable response is
/// stored any more, the request is sent again without preconditions.
struct CacheExchange: Sendable {
    let loader: any DataLoading
    let cache: HTTPCache
    var request: DataRequest
    /// The entries that the lookup found; empty if the data cache failed.
    var entries: StoredEntries

    private var policy: HTTPCachePolicy { cache.policy }

    /// The result of one request.
    private enum Outcome {
        case response(DataResponse)
        /// The response cannot be combined with the stored one.
        case unusable
        /// The stored response was removed or replaced.
        case storedResponseGone
    }

    /// Sends the request, with the preconditions of a validation if there is one.
    func run(validating validation: HTTPCacheValidation?) async throws -> DataResponse {
        switch try await send(validating: validation) {
        case .response(let response): return response
        case .unusable: return try await run(validating: nil)
        case .storedResponseGone:
            var plain = self
            plain.entries.match = nil
            return try await plain.run(validating: nil)
        }
    }

    /// Sends one request. Without a validation the outcome is never `unusable`, and without a match never `storedResponseGone`, so at
    /// most three requests are sent. An unusable response is released here, since an unread body holds a connection, which the
    /// next request may need.
    private func send(validating validation: HTTPCacheValidation?) async throws -> Outcome {
        var sent = request
        if let validation { sent.headerFields = validation.headerFields }
        // Do not retry when a stale response can be served.
        if staleReply(after: .unreachable, of: entries.match) != nil { sent.retries = 0 }
        let requestedAt = cache.now()
        let response: DataResponse
        do {
            response = try await loader.load(sent)
        } catch let error as ImageError {
            guard !Task.isCancelled, let failure = HTTPCacheFailure(error.code),
                let outcome = try await staleOutcome(after: failure)
            else { throw error }
            return outcome
        }
        let times = Times(requestedAt: requestedAt, receivedAt: cache.now())
        if let outcome = try await staleOutcome(after: .status(response.head.status.code)) { return outcome }
        guard let validation, entries.match != nil else { return .response(try await recorded(response, times)) }
        switch (response.head.status.code, validation.kind) {
        case (304, _): return try await confirmed(by: response, times)
        case (206, .remainder): return try await completed(by: response, times)
        case (416, .remainder): return .unusable
        default: return .response(try await recorded(response, times))
        }
    }

    /// Reads the matching response again; `nil` if it was removed or the data cache fails.
    private func storedMatch() async throws(CancellationError) -> StoredEntry? {
        guard entries.match != nil else { return nil }
        return try await attempt { try await self.cache.find(self.request).match } ?? nil
    }

    struct Times {
        var requestedAt: Double
        var receivedAt: Double
    }

    private func staleReply(after failure: HTTPCacheFailure, of stored: StoredResponse?) -> HTTPCacheReply? {
        guard let stored else { return nil }
        return policy.staleReply(for: request, stored: [stored], after: failure, now: cache.now())
    }

    /// The stored response in place of a failed one; `nil` if it must not be served.
    private func staleOutcome(after failure: HTTPCacheFailure) async throws -> Outcome? {
        guard staleReply(after: failure, of: entries.match) != nil else { return nil }
        guard let match = try await storedMatch(), let reply = staleReply(after: failure, of: match.response) else {
            return .storedResponseGone
        }
        return .response(try match.response(reply, to: request))
    }

    /// Handles a 304: updates and serves the stored response. A 304 that is about another version, or that came by another redirect,
    /// is unusable.
    private func confirmed(by fetched: DataResponse, _ times: Times) async throws -> Outcome {
        guard let match = try await storedMatch(), match.response.hasValidators(of: entries.match) else {
            return .storedResponseGone
        }
        let old = match.response
        guard
            let updated = old.validated(
                by: fetched.head, to: request, requestedAt: times.requestedAt, receivedAt: times.receivedAt),
            redirect(of: fetched) == old.redirect, let reply = policy.reply(ofConfirmed: updated, to: request, at: cache.now())
        else { return .unusable }
        // Most validations are of responses that are validated at every use; they must not cost a write each.
        if updated.needsStore(after: old, under: policy) { await store(updated, match.data) }
        var response = try match.response(reply, to: request)
        response.url = fetched.url
        return .response(response)
    }

    /// Handles a 206 with the remainder of a body whose start is stored.
    private func completed(by fetched: DataResponse, _ times: Times) async throws -> Outcome {
        guard let match = try await storedMatch() else { return .storedResponseGone }
        var next = received(fetched, times)
        // A 206 may omit the validator, but must not contain another one.
        if next.entityTag == nil, next.lastModified == nil {
            next = next.updated(
                by: HTTPResponse(status: .partialContent, headerFields: entries.match?.validatorFields ?? [:]), to: request,
                requestedAt: times.requestedAt, receivedAt: times.receivedAt)
        }
        guard let (whole, overlap) = match.response.joined(with: next), overlap == 0, whole.head.status == .ok,
            redirect(of: fetched) == match.response.redirect
        else { return .unusable }
        if let limit = request.maximumBytes, whole.byteCount > limit {
            throw ImageError.tooLarge(ImageSource.redacted(request.url), whole.byteCount, limit)
        }
        let response = recording(
            DataResponse(url: fetched.url, head: whole.head, body: fetched.body), after: match.data,
            upTo: whole.byteCount
        ) { data in
            if data.count == whole.byteCount { await store(whole, data) }
        }
        return .response(response)
    }

    // MARK: Storing

    /// Returns the response of the server, and stores it when its body is complete.
    private func recorded(_ fetched: DataResponse, _ times: Times) async throws -> DataResponse {
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
    private func recording(
        _ fetched: DataResponse, as response: StoredResponse, onEnd: @escaping @Sendable (Data) async -> Void
    ) async -> DataResponse {
        let length = response.head.headerFields[.contentLength].flatMap { Int($0) }
        guard length ?? 0 <= cache.maximumBodyBytes else { return fetched }
        if let whole = fetched.body.wholeData {
            if whole.count <= cache.maximumBodyBytes { await onEnd(whole) }
            return fetched
        }
        return recording(fetched, after: Data(), upTo: cache.maximumBodyBytes, onEnd: onEnd)
    }

    private func recording(
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
        if let (joined, overlap) = old.joined(with: response), joined.byteCount <= cache.maximumBodyBytes {
            return await store(joined, match.data + data.dropFirst(overlap))
        }
        if let (joined, overlap) = response.joined(with: old), joined.byteCount <= cache.maximumBodyBytes {
            return await store(joined, data + match.data.dropFirst(overlap))
        }
        await store(response, data)
    }

    private func store(_ response: StoredResponse, _ data: Data) async {
        // A body of another length than announced is incomplete, even if its stream ended without an error.
        guard EntryMetadata.isWhole(response) else { return }
        // A failed store costs only a hit.
        if policy.allowsStoring(response, for: request) {
            try? await cache.put(response, data, for: request, on: entries)
        } else if entries.match != nil, request.cachePolicy.writesDisk {
            await removeMatch()
        }
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

    private func received(_ fetched: DataResponse, _ times: Times) -> StoredResponse {
        var response = StoredResponse(
            fetched.head, to: request, requestedAt: times.requestedAt, receivedAt: times.receivedAt, byteCount: 0)
        response.redirect = redirect(of: fetched)
        return response
    }

    /// A digest of the URL that redirects led to; `nil` without redirects.
    private func redirect(of fetched: DataResponse) -> String? {
        if fetched.url == request.url { return nil }
        let (final, first) = (ImageRequest(url: fetched.url).resource, ImageRequest(url: request.url).resource)
        return final == first ? nil : SHA256.hexDigest(of: Array(final.text.utf8))
    }
}

extension HTTPCacheFailure {
    /// `nil` for errors that are not failures of the network.
    init?(_ code: ImageError.Code) {
        switch code {
        case .hostNotFound, .connectionFailed, .timedOut: self = .unreachable
        case .connectionLost: self = .connectionLost
        default: return nil
        }
    }
}

extension StoredResponse {
    /// The fields that identify its version.
    fileprivate var validatorFields: HTTPFields {
        HTTPFields(head.headerFields.filter { $0.name == .eTag || entityTag == nil && [.lastModified, .date].contains($0.name) })
    }

    /// Whether a 304 to a request with the validators of `other` is also about this response.
    fileprivate func hasValidators(of other: StoredResponse?) -> Bool {
        guard let other else { return false }
        return [.eTag, .lastModified].allSatisfy { head.headerFields[$0] == other.head.headerFields[$0] }
    }

    func with(byteCount: Int) -> StoredResponse {
        var response = self
        response.byteCount = byteCount
        return response
    }
}

extension ImageError {
    static func tooLarge(_ source: String, _ count: Int, _ limit: Int) -> ImageError {
        ImageError(
            .tooLarge,
            message: "The body of \(source) has \(count) bytes; the limit is \(limit). Raise the limit to load it.")
    }
}
