internal import HTTPTypes
internal import ImageCore

/// One request that the cache sends to the server, and how its response is combined with what is stored.
///
/// The exchange knows the heads that the lookup found, and reads the stored response again, with its body, only after the server's
/// response is here. What other loads, or the user, stored or removed since the lookup is seen by that read. A 304 confirms what
/// is stored then only if it has the validators that were sent; a part is joined only with a part that it fits. Where nothing
/// of use is stored any more, the request is sent again without preconditions.
struct CacheExchange: Sendable {
    let loader: any DataLoading
    let cache: HTTPCache
    var request: DataRequest
    /// What the lookup found; nothing when the data cache failed.
    var entries: StoredEntries

    private var policy: HTTPCachePolicy { cache.policy }

    /// What came of one request.
    private enum Outcome {
        case response(DataResponse)
        /// The response says nothing of use about what is stored.
        case isOfNoUse
        /// What was stored is gone, or was replaced.
        case matchIsGone
    }

    /// Asks the server, with the preconditions of a validation where there is one.
    func run(asking validation: HTTPCacheValidation?) async throws -> DataResponse {
        switch try await send(asking: validation) {
        case .response(let response): return response
        case .isOfNoUse: return try await run(asking: nil)
        case .matchIsGone:
            var plain = self
            plain.entries.match = nil
            return try await plain.run(asking: nil)
        }
    }

    /// Without a validation the outcome is of use, and without a match none can be gone, so that at most three requests are sent.
    /// A response that is of no use is released here: while its body is unread it holds a connection, which the next request may
    /// need.
    private func send(asking validation: HTTPCacheValidation?) async throws -> Outcome {
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
        switch (response.head.status.code, validation.question) {
        case (304, _): return try await confirmed(by: response, times)
        case (206, .rest): return try await completed(by: response, times)
        case (416, .rest): return .isOfNoUse
        default: return .response(try await recorded(response, times))
        }
    }

    /// The matching response as it is stored now; `nil` where it is gone or the data cache fails.
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
        return policy.standIn(for: request, stored: [stored], after: failure, now: cache.now())
    }

    /// The stored response in place of one that could not be had; `nil` where none may be served.
    private func staleOutcome(after failure: HTTPCacheFailure) async throws -> Outcome? {
        guard staleReply(after: failure, of: entries.match) != nil else { return nil }
        guard let match = try await storedMatch(), let reply = staleReply(after: failure, of: match.response) else {
            return .matchIsGone
        }
        return .response(try match.response(reply, to: request))
    }

    /// A 304: the stored response with the new fields. One that is about another version, or about what another redirect
    /// leads to, is of no use, and the server is asked for the whole.
    private func confirmed(by answer: DataResponse, _ times: Times) async throws -> Outcome {
        guard let match = try await storedMatch(), match.response.hasValidators(of: entries.match) else { return .matchIsGone }
        let old = match.response
        let repeated = old.repeated(by: answer.head, requestedAt: times.requestedAt, receivedAt: times.receivedAt)
        let updated =
            repeated
            ?? old.validated(by: answer.head, to: request, requestedAt: times.requestedAt, receivedAt: times.receivedAt)
        guard let updated, redirect(of: answer) == old.redirect,
            let reply = policy.reply(ofConfirmed: updated, to: request, at: cache.now())
        else { return .isOfNoUse }
        // Most validations are of what is validated at every use: they must not cost a write each.
        let isNews = repeated?.hasTime(under: policy) ?? updated.tellsMore(than: old, under: policy)
        if isNews { await keep(updated, match.data) }
        var response = try match.response(reply, to: request)
        response.url = answer.url
        return .response(response)
    }

    /// A 206 with the rest of a body whose beginning is stored.
    private func completed(by answer: DataResponse, _ times: Times) async throws -> Outcome {
        guard let match = try await storedMatch() else { return .matchIsGone }
        var next = received(answer, times)
        // It need not repeat the validator, but must not name another.
        if next.entityTag == nil, next.lastModified == nil {
            next = next.updated(
                by: HTTPResponse(status: .partialContent, headerFields: entries.match?.validatorFields ?? [:]), to: request,
                requestedAt: times.requestedAt, receivedAt: times.receivedAt)
        }
        guard let (whole, overlap) = match.response.joined(with: next), overlap == 0, whole.head.status == .ok,
            redirect(of: answer) == match.response.redirect
        else { return .isOfNoUse }
        if let limit = request.maximumBytes, whole.byteCount > limit {
            throw ImageError.tooLarge(ImageSource.redacted(request.url), whole.byteCount, limit)
        }
        let response = recording(
            DataResponse(url: answer.url, head: whole.head, body: answer.body), after: match.data,
            upTo: whole.byteCount
        ) { data in
            if data.count == whole.byteCount { await keep(whole, data) }
        }
        return .response(response)
    }

    // MARK: Keeping

    /// The answer as it came, stored when its body is whole.
    private func recorded(_ answer: DataResponse, _ times: Times) async throws -> DataResponse {
        let response = received(answer, times)
        if request.method == .head {
            await freshen(by: answer.head, times)
            return answer
        }
        // An error of the server's does not take the place of a picture.
        let isSpared = response.head.status.code >= 500 && entries.match?.head.status.kind == .successful
        guard policy.keeps(response, to: request), !isSpared else {
            // What is gone is not shown when the server is away, either.
            if [404, 410].contains(response.head.status.code), request.cachePolicy.writesDisk { await forget() }
            return answer
        }
        return await kept(answer, response) { await keepJoined(response, $0) }
    }

    /// The answer to a POST, stored as what its URL has, if it says so.
    func recordedPost(
        _ answer: DataResponse, to post: DataRequest, contentLocation: URL?, requestedAt: Double
    ) async -> DataResponse {
        let response = received(answer, Times(requestedAt: requestedAt, receivedAt: cache.now()))
        guard policy.keepsAsRead(response, to: post, contentLocation: contentLocation) else { return answer }
        return await kept(answer, response) { await keep(response.with(byteCount: $0.count), $0) }
    }

    /// Gives the body to `store` when all of it has passed: at once where it is at hand.
    private func kept(
        _ answer: DataResponse, _ response: StoredResponse, _ store: @escaping @Sendable (Data) async -> Void
    ) async -> DataResponse {
        let length = response.head.headerFields[.contentLength].flatMap { Int($0) }
        guard length ?? 0 <= cache.maximumBodyBytes else { return answer }
        if let whole = answer.body.wholeData {
            if whole.count <= cache.maximumBodyBytes { await store(whole) }
            return answer
        }
        return recording(answer, after: Data(), upTo: cache.maximumBodyBytes, store)
    }

    private func recording(
        _ answer: DataResponse, after start: Data, upTo limit: Int, _ store: @escaping @Sendable (Data) async -> Void
    ) -> DataResponse {
        let recorder = BodyRecorder(answer.body, start: start, limit: limit, onEnd: store)
        var recorded = answer
        recorded.body = ByteStream { try await recorder.next() }
        return recorded
    }

    /// Stores a body whose end was reached, joined with the part that is stored where they fit.
    private func keepJoined(_ response: StoredResponse, _ data: Data) async {
        let response = response.with(byteCount: data.count)
        guard response.part != nil, entries.match != nil else { return await keep(response, data) }
        let found: StoredEntry?
        // A part must not replace a stored body that a cancelled task cannot read.
        do { found = try await storedMatch() } catch { return }
        guard let match = found else { return await keep(response, data) }
        let old = match.response
        if old.head.status == .ok, let validator = response.strongValidator, validator == old.strongValidator {
            // A part of what is there already: it shows that that holds.
            let updated = old.updated(
                by: response.head, to: request, requestedAt: response.requestedAt, receivedAt: response.receivedAt)
            return await keep(updated, match.data)
        }
        if let (joined, overlap) = old.joined(with: response), joined.byteCount <= cache.maximumBodyBytes {
            return await keep(joined, match.data + data.dropFirst(overlap))
        }
        if let (joined, overlap) = response.joined(with: old), joined.byteCount <= cache.maximumBodyBytes {
            return await keep(joined, data + match.data.dropFirst(overlap))
        }
        await keep(response, data)
    }

    private func keep(_ response: StoredResponse, _ data: Data) async {
        // A body that is not as long as it was announced is not whole, whatever its stream said.
        guard EntryMetadata.isWhole(response) else { return }
        // A store runs to its end, also when nobody reads any more; its failure costs a hit.
        if policy.keeps(response, to: request) {
            try? await cache.put(response, data, for: request, on: entries)
        } else if entries.match != nil, request.cachePolicy.writesDisk {
            await forget()
        }
    }

    private func forget() async {
        guard entries.match != nil else { return }
        try? await cache.remove(entries.matchKey)
    }

    /// What a 200 to HEAD says of the stored response (RFC 9111, section 4.3.5).
    private func freshen(by head: HTTPResponse, _ times: Times) async {
        guard head.status == .ok, request.cachePolicy.writesDisk, let match = try? await storedMatch(),
            match.response.head.status == .ok
        else { return }
        var read = self
        read.request.method = .get
        if let updated = match.response.freshened(
            byHead: head, to: request, requestedAt: times.requestedAt, receivedAt: times.receivedAt)
        {
            await read.keep(updated, match.data)
        } else {
            await forget()
        }
    }

    private func received(_ answer: DataResponse, _ times: Times) -> StoredResponse {
        let plain = StoredResponse(
            answer.head, to: request, requestedAt: times.requestedAt, receivedAt: times.receivedAt, byteCount: 0)
        return StoredResponse(
            head: plain.head, requestedAt: times.requestedAt, receivedAt: times.receivedAt, byteCount: 0, vary: plain.vary,
            redirect: redirect(of: answer))
    }

    /// A digest of where redirects led; `nil` where there were none.
    private func redirect(of answer: DataResponse) -> String? {
        if answer.url == request.url { return nil }
        let (final, first) = (ImageRequest(url: answer.url).resource, ImageRequest(url: request.url).resource)
        return final == first ? nil : SHA256.hexDigest(of: Array(final.text.utf8))
    }
}

extension HTTPCacheFailure {
    /// `nil` for what is no failure of the way to the server.
    init?(_ code: ImageError.Code) {
        switch code {
        case .hostNotFound, .connectionFailed, .timedOut: self = .unreachable
        case .connectionLost: self = .brokenOff
        default: return nil
        }
    }
}

extension StoredResponse {
    /// What names its version.
    fileprivate var validatorFields: HTTPFields {
        HTTPFields(head.headerFields.filter { $0.name == .eTag || entityTag == nil && [.lastModified, .date].contains($0.name) })
    }

    /// Whether a 304 to a request with the validators of `other` is about this response too.
    fileprivate func hasValidators(of other: StoredResponse?) -> Bool {
        guard let other else { return false }
        return [.eTag, .lastModified].allSatisfy { head.headerFields[$0] == other.head.headerFields[$0] }
    }

    func with(byteCount: Int) -> StoredResponse {
        StoredResponse(
            head: head, requestedAt: requestedAt, receivedAt: receivedAt, byteCount: byteCount, vary: vary, redirect: redirect)
    }
}

extension ImageError {
    static func tooLarge(_ source: String, _ count: Int, _ limit: Int) -> ImageError {
        ImageError(
            .tooLarge,
            message: "The body of \(source) has \(count) bytes, more than the limit of \(limit); raise the limit to load it.")
    }
}
