internal import HTTPTypes
internal import ImageCore

/// One request that the cache sends to the server, and how its response is combined with the stored one.
///
/// The exchange starts with the response headers that the lookup found, and reads the stored response again, with its body, once the
/// server has responded. So it sees what other loads, or the user, have stored or removed since the lookup. A 304 confirms the stored
/// response only if that has the validators that were sent; a part is joined only with an adjacent part. If no usable response is
/// stored any more, the request is sent again without preconditions.
///
/// If the stored responses of the URL vary, the request also names the entity tags of the other variants (RFC 9111, section 4.1). A
/// 304 then names the variant whose body is the response.
struct CacheExchange: Sendable {
    let loader: any DataLoading
    let cache: HTTPCache
    var request: DataRequest
    /// The entries that the lookup found; empty if the data cache failed.
    var entries: StoredEntries
    /// What the cache stores in the meantime, and whether the resource changes.
    let turn: OpenExchanges.Turn

    init(loader: any DataLoading, cache: HTTPCache, request: DataRequest, entries: StoredEntries) {
        (self.loader, self.cache, self.request, self.entries) = (loader, cache, request, entries)
        turn = cache.exchanges.begin(for: request.url, primaryKey: entries.primaryKey)
    }

    var policy: HTTPCachePolicy { cache.policy }

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
        let variants = try await attempt { try await cache.variants(of: entries) } ?? []
        let naming = policy.validation(validation, namingVariants: variants.map(\.tag), for: request)
        guard !variants.isEmpty, naming != validation else { return try await run(only: validation) }
        // The outcome for the other variants is unclear: try without them.
        return try await response(of: send(validating: naming, variants)) { try await $0.run(only: validation) }
    }

    /// Sends the request without naming other variants.
    private func run(only validation: HTTPCacheValidation?) async throws -> DataResponse {
        try await response(of: send(validating: validation, [])) { try await $0.run(only: nil) }
    }

    private func response(
        of outcome: Outcome, orElse again: (CacheExchange) async throws -> DataResponse
    ) async throws -> DataResponse {
        switch outcome {
        case .response(let response): return response
        case .unusable: return try await again(self)
        case .storedResponseGone:
            var plain = self
            plain.entries.match = nil
            return try await plain.run(only: nil)
        }
    }

    /// Sends one request. Without a validation the outcome is never `unusable`, and without a match never `storedResponseGone`, so at
    /// most four requests are sent. An unusable response is released here, since an unread body holds a connection, which the
    /// next request may need.
    private func send(validating validation: HTTPCacheValidation?, _ variants: [StoredVariant]) async throws -> Outcome {
        var sent = request
        if let validation { sent.headerFields = validation.headerFields }
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
        guard let validation, entries.match != nil || !variants.isEmpty else {
            return .response(try await recorded(response, times))
        }
        switch (response.head.status.code, validation.kind) {
        case (304, _):
            if let variant = variants.first(where: { $0.isNamed(by: response.head, insteadOf: entries.match) }) {
                return try await confirmed(variant, by: response, times)
            }
            // A 304 without an entity tag does not say which of several it confirms.
            let isClear = variants.isEmpty || response.head.headerFields.contains(.eTag)
            return entries.match != nil && isClear ? try await confirmed(by: response, times) : .unusable
        case (206, .remainder): return try await completed(by: response, times)
        case (416, .remainder): return .unusable
        default: return .response(try await recorded(response, times))
        }
    }

    /// Reads the matching response again; `nil` if it was removed or the data cache fails.
    func storedMatch() async throws(CancellationError) -> StoredEntry? {
        guard entries.match != nil else { return nil }
        return try await attempt { try await self.cache.find(self.request).match } ?? nil
    }

    struct Times {
        var requestedAt: Double
        var receivedAt: Double
    }

    private func staleReply(after failure: HTTPCacheFailure, of stored: StoredResponse?) -> HTTPCacheReply? {
        guard let stored else { return nil }
        return policy.staleReply(for: request, stored: stored, after: failure, now: cache.now())
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
        return try await confirmed(match, by: fetched, times)
    }

    /// Handles a 304 that names the response to another variant: that response is also stored for this request.
    private func confirmed(_ variant: StoredVariant, by fetched: DataResponse, _ times: Times) async throws -> Outcome {
        guard let entry = try await attempt({ try await cache.entry(of: variant, entries) }) ?? nil else { return .unusable }
        return try await confirmed(entry, by: fetched, times)
    }

    private func confirmed(_ match: StoredEntry, by fetched: DataResponse, _ times: Times) async throws -> Outcome {
        let old = match.response
        guard
            let updated = old.validated(
                by: fetched.head, to: request, requestedAt: times.requestedAt, receivedAt: times.receivedAt),
            redirect(of: fetched) == old.redirect, let reply = policy.reply(ofConfirmed: updated, to: request, at: cache.now())
        else { return .unusable }
        // Most validations are of responses that are validated at every use; they must not cost a write each.
        if updated.needsStore(after: old, under: policy) { await store(updated, match.data) }
        var response = try match.response(reply, to: request)
        (response.url, response.retries) = (fetched.url, fetched.retries)
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
        if let limit = request.maximumResponseBytes, whole.byteCount > limit {
            throw ImageError.tooLarge(ImageSource.redacted(request.url), announced: whole.byteCount, limit: limit)
        }
        let response = recording(
            DataResponse(url: fetched.url, head: whole.head, body: fetched.body), after: match.data,
            upTo: whole.byteCount
        ) { data in
            if data.count == whole.byteCount { await store(whole, data) }
        }
        return .response(response)
    }
}

extension HTTPCacheFailure {
    /// `nil` for errors that are not failures of the network.
    init?(_ code: ImageError.Code) {
        // The loader reports what happens before the response headers; a connection that is lost then gave no response.
        guard ImageError.Code.connectionFailures.contains(code) else { return nil }
        self = .unreachable
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
