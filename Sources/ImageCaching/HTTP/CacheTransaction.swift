internal import HTTPTypes
internal import ImageCore

/// One request that the cache sends to the server, and how its response is combined with what is stored.
struct CacheTransaction: Sendable {
    let loader: any DataLoading
    let cache: HTTPCache
    var request: DataRequest
    /// What is stored for the request; empty when the data cache failed.
    let entries: StoredEntries

    private var policy: HTTPCachePolicy { cache.policy }

    func stored(_ reply: HTTPCacheReply) throws -> DataResponse { try entries.response(reply, to: request) }

    /// Asks the server, with the preconditions of a validation where there is one.
    func run(asking validation: HTTPCacheValidation?) async throws -> DataResponse {
        if let reply = try await reply(asking: validation) { return reply }
        return try await run(asking: nil)
    }

    /// The reply; `nil` where a validation is answered by what is of no use, never without one. Such an answer is let go of here:
    /// while its body is unread it holds a connection, which the request for the whole may need.
    private func reply(asking validation: HTTPCacheValidation?) async throws -> DataResponse? {
        var sent = request
        if let validation { sent.headerFields = validation.headerFields }
        // Do not retry when a stale response can be served.
        if staleReply(after: .unreachable) != nil { sent.retries = 0 }
        let requestedAt = cache.now()
        let response: DataResponse
        do {
            response = try await loader.load(sent)
        } catch let error as ImageError {
            guard !Task.isCancelled, let failure = HTTPCacheFailure(error.code), let reply = staleReply(after: failure) else {
                throw error
            }
            return try stored(reply)
        }
        let times = Times(requestedAt: requestedAt, receivedAt: cache.now())
        if let reply = staleReply(after: .status(response.head.status.code)) { return try stored(reply) }
        guard let validation, let match = entries.match else { return try await recorded(response, times) }
        switch (response.head.status.code, validation.question) {
        case (304, _): return try await confirmed(match, by: response, times)
        case (206, .rest): return try await completed(match, by: response, times)
        case (416, .rest): return nil
        default: return try await recorded(response, times)
        }
    }

    struct Times {
        var requestedAt: Double
        var receivedAt: Double
    }

    private func staleReply(after failure: HTTPCacheFailure) -> HTTPCacheReply? {
        guard entries.match != nil else { return nil }
        return policy.standIn(for: request, stored: entries.responses, after: failure, now: cache.now())
    }

    /// A 304: the stored response with the new fields. One that is about another version, or about what another redirect
    /// leads to, is of no use, and the server is asked for the whole.
    private func confirmed(_ match: StoredEntry, by answer: DataResponse, _ times: Times) async throws -> DataResponse? {
        let old = match.response
        let repeated = old.repeated(by: answer.head, requestedAt: times.requestedAt, receivedAt: times.receivedAt)
        let updated =
            repeated
            ?? old.validated(by: answer.head, to: request, requestedAt: times.requestedAt, receivedAt: times.receivedAt)
        guard let updated, redirect(of: answer) == old.redirect,
            let reply = policy.reply(ofConfirmed: updated, to: request, at: cache.now())
        else { return nil }
        // Most validations are of what is validated at every use: they must not cost a write each.
        let isNews = repeated?.hasTime(under: policy) ?? updated.tellsMore(than: old, under: policy)
        if isNews { await keep(updated, match.data) }
        var response = try stored(reply)
        response.url = answer.url
        return response
    }

    /// A 206 with the rest of a body whose beginning is stored.
    private func completed(_ match: StoredEntry, by answer: DataResponse, _ times: Times) async throws -> DataResponse? {
        var next = received(answer, times)
        // It need not repeat the validator, but must not name another.
        if next.entityTag == nil, next.lastModified == nil {
            next = next.updated(
                by: HTTPResponse(status: .partialContent, headerFields: match.response.validatorFields), to: request,
                requestedAt: times.requestedAt, receivedAt: times.receivedAt)
        }
        guard let (whole, overlap) = match.response.joined(with: next), overlap == 0, whole.head.status == .ok,
            redirect(of: answer) == match.response.redirect
        else { return nil }
        if let limit = request.maximumBytes, whole.byteCount > limit {
            throw ImageError.tooLarge(ImageSource.redacted(request.url), whole.byteCount, limit)
        }
        return recording(
            DataResponse(url: answer.url, head: whole.head, body: answer.body), after: match.data,
            upTo: whole.byteCount
        ) { data in
            if data.count == whole.byteCount { await keep(whole, data) }
        }
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
        let isSpared = response.head.status.code >= 500 && entries.match?.response.head.status.kind == .successful
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
        guard response.part != nil, let match = entries.match else { return await keep(response, data) }
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
        guard head.status == .ok, let match = entries.match, match.response.head.status == .ok, request.cachePolicy.writesDisk
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
