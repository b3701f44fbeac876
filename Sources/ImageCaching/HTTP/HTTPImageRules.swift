internal import HTTPTypes
internal import ImageCore

/// Applies the policy of an HTTP cache to finished images: each is stored in the form of a response that has the
/// headers of the original and the image as its body, so that the same decisions hold for it (RFC 9111).
struct HTTPImageRules: ProcessedImageRules {
    let cache: HTTPCache

    private var policy: HTTPCachePolicy { cache.policy }

    func entry(for image: DataEntry, madeFrom source: ResponseHead, to request: DataRequest) -> DataEntry? {
        // The load may store the image without its original.
        var request = request
        request.cachePolicy.insert(.writesDisk)
        var head = source.head
        head.status = .ok
        for name in [HTTPField.Name.contentLength, .contentEncoding, .contentRange] { head.headerFields[name] = nil }
        for field in image.head.headerFields { head.headerFields[field.name] = field.value }
        var response = StoredResponse(head, to: request, requestedAt: source.receivedAt, receivedAt: source.receivedAt)
        response.redirect = source.redirect ?? redirect(of: source, to: request)
        guard !request.isConditional, policy.allowsStoring(response, for: request) else { return nil }
        return encode(response, image.data)
    }

    func use(of image: DataEntry, for request: DataRequest) -> ProcessedImageUse {
        let directives = RequestDirectives(request)
        guard policy.mode != .off, request.isCacheRead, cache.allowsServing(request.url), !directives.bypasses,
            let stored = EntryMetadata.decode(image)?.response, stored.answers(request)
        else { return .none }
        switch policy.decision(for: request, stored: stored, now: cache.now()) {
        case .serve: return .serve
        case .serveWhileRevalidating(_, let fields): return .serveWhileRevalidating(fields ?? request.headerFields)
        case .revalidate(let fields): return .revalidate(fields)
        case .fetch: return .revalidate(request.headerFields)
        case .gatewayTimeout: return .none
        }
    }

    func confirmed(_ image: DataEntry, by response: ResponseHead, to request: DataRequest) -> DataEntry? {
        guard let old = EntryMetadata.decode(image)?.response,
            var updated = old.validated(
                by: response.head, to: request, requestedAt: response.receivedAt, receivedAt: response.receivedAt)
        else { return nil }
        let redirect = redirect(of: response, to: request)
        guard old.isConfirmed(by: redirect) else { return nil }
        updated.redirect = redirect
        var writing = request
        writing.cachePolicy.insert(.writesDisk)
        guard policy.allowsStoring(updated, for: writing) else { return nil }
        return updated.needsStore(after: old, under: policy) ? encode(updated, image.data) : image
    }

    func allowsStaleUse(of image: DataEntry, for request: DataRequest, after error: ImageError) -> Bool {
        guard let failure = HTTPCacheFailure(error), let stored = EntryMetadata.decode(image)?.response else { return false }
        return policy.staleReply(for: request, stored: stored, after: failure, now: cache.now()) != nil
    }

    func freshUntil(of image: DataEntry) -> Double {
        guard let stored = EntryMetadata.decode(image)?.response, !stored.control.noCache else { return 0 }
        if policy.mode == .aggressive { return .infinity }
        let end = stored.receivedAt + stored.lifetime(under: policy) - stored.initialAge
        return stored.redirect.map { min(end, $0.freshUntil) } ?? end
    }

    private func redirect(of response: ResponseHead, to request: DataRequest) -> ResponseRedirect? {
        StoredResponse.redirect(
            from: request.url, to: response.url, by: response.redirects, requestedAt: response.receivedAt,
            receivedAt: response.receivedAt, under: policy)
    }

    private func encode(_ response: StoredResponse, _ data: Data) -> DataEntry {
        EntryMetadata.encode(StoredEntry(response: response, data: data, generation: EntryMetadata.newGeneration()))
    }
}
