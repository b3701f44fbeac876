internal import HTTPTypes
internal import ImageCore

/// One request that the cache sends to the server, and how its response is combined with the stored one.
///
/// The exchange starts with the response headers that the lookup found, and reads the stored response again, with its
/// body, once the server has responded. So it sees what other loads, or the user, have stored or removed since the
/// lookup. A 304 confirms the stored response only if that has the validators that were sent. If no usable response is
/// stored any more, the request is sent again without preconditions.
struct CacheExchange: Sendable {
    let loader: any DataLoading
    let cache: HTTPCache
    var request: DataRequest
    /// The entries that the lookup found; empty if the data cache failed.
    var entries: StoredEntries
    /// What the cache stores in the meantime, and whether the resource changes. It lasts until the response is stored.
    let ticket: ExchangeTicket

    init(loader: any DataLoading, cache: HTTPCache, request: DataRequest, entries: StoredEntries) {
        (self.loader, self.cache, self.request, self.entries) = (loader, cache, request, entries)
        ticket = cache.exchanges.begin(for: request.resource, primaryKey: entries.primaryKey)
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

    /// When a request was sent and its response headers arrived, in seconds since 1970.
    struct Times {
        var requestedAt: Double
        var receivedAt: Double
    }

    /// Sends the request, with the fields of a validation if there is one. Without them the outcome is never
    /// `unusable`, and without a match never `storedResponseGone`, so at most three requests are sent.
    func run(validating fields: HTTPFields?) async throws -> DataResponse {
        var (exchange, fields) = (self, fields)
        while true {
            switch try await exchange.send(fields) {
            case .response(let response): return response
            case .unusable: break
            case .storedResponseGone: exchange.entries.match = nil
            }
            fields = nil
        }
    }

    /// Sends one request. An unusable response is released here, since an unread body holds a connection, which the
    /// next request may need.
    private func send(_ fields: HTTPFields?) async throws -> Outcome {
        var sent = request
        if let fields { sent.headerFields = fields }
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
        guard fields != nil, entries.match != nil, response.head.status == .notModified else {
            return .response(await keep(response, times))
        }
        return try await confirm(by: response, times)
    }

    /// Reads the matching response again; `nil` if it was removed or the data cache fails.
    func storedMatch() async throws(CancellationError) -> StoredEntry? {
        guard entries.match != nil else { return nil }
        return try await ignoringCacheErrors { try await self.cache.find(self.request).match } ?? nil
    }

    /// The stored response in place of a failed one; `nil` if it must not be served.
    private func staleOutcome(after failure: HTTPCacheFailure) async throws -> Outcome? {
        func reply(_ stored: StoredResponse) -> HTTPCacheReply? {
            policy.staleReply(for: request, stored: stored, after: failure, now: cache.now())
        }
        // A caller with a stand-in takes that, and has this response revalidated.
        guard request.standsIn == nil, entries.match.flatMap(reply) != nil else { return nil }
        guard let match = try await storedMatch(), let reply = reply(match.response) else { return .storedResponseGone }
        return .response(try match.response(reply, to: request))
    }

    /// Handles a 304: serves the stored response, and updates it. A 304 that is about another version, or that came
    /// from another place, is unusable.
    private func confirm(by fetched: DataResponse, _ times: Times) async throws -> Outcome {
        // A 304 is also about what another load has stored in the meantime if that has the validators that were sent.
        guard let sent = entries.match, let match = try await storedMatch(),
            [.eTag, .lastModified].allSatisfy({ match.response.head.headerFields[$0] == sent.head.headerFields[$0] })
        else { return .storedResponseGone }
        let old = match.response
        let redirect = redirect(of: fetched, times)
        guard
            var updated = old.validated(
                by: fetched.head, to: request, requestedAt: times.requestedAt, receivedAt: times.receivedAt),
            old.isConfirmed(by: redirect), updated.answers(request)
        else { return .unusable }
        updated.redirect = redirect
        let (confirmed, data) = (updated, match.data)
        var response = try match.response(policy.reply(from: updated, at: cache.now()), to: request)
        (response.url, response.retries, response.redirect) = (fetched.url, fetched.retries, redirect)
        // Most validations are of responses that are validated at every use; they must not cost a write each.
        if updated.needsStore(after: old, under: policy) {
            if request.defersStoring {
                response.commit = { _ in try await update(confirmed, data) }
            } else {
                try? await update(confirmed, data)
            }
        }
        return .response(response)
    }
}
