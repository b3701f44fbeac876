internal import HTTPTypes
internal import ImageCore

/// Reads the body of a response from the network layer or the response cache.
struct ResponseReader: Sendable {
    /// Receives the bytes so far, and how many they are.
    typealias Progress = @Sendable (ReceivedBytes, LoadProgress) -> Void

    let parts: LoaderParts
    let plan: LoadPlan

    /// The body of a successful response: whole, or its first bytes where only the header is wanted.
    // Not inlined: a load that waits for a response has no need of the variables for its body yet.
    @inline(never)
    func body(of response: DataResponse, _ progress: Progress) async throws -> FetchedBody {
        if let body = try wholeBody(of: response) { return body }
        return try await collect(response, progress)
    }

    /// The body of a successful response that is at hand.
    private func wholeBody(of response: DataResponse) throws(ImageError) -> FetchedBody? {
        try judge(response)
        let expected = response.expectedBytes
        if let expected, expected > maximumBytes { throw tooLarge(expected) }
        guard let whole = response.body.wholeData else { return nil }
        return body(try checked(whole, expected: expected, response), of: response)
    }

    private func body(_ data: Data, isWhole: Bool = true, of response: DataResponse) -> FetchedBody {
        // With a response cache, the network layer has stored the bytes already.
        let isStored = plan.isLocal || !isWhole || plan.responseCache(parts) != nil
        return FetchedBody(
            entry: DataEntry(data: data, head: response.head, storedAt: Date().timeIntervalSince1970),
            tier: plan.isLocal ? .local : response.tier, retries: response.retries, isWhole: isWhole, isStored: isStored,
            url: response.url)
    }

    private func judge(_ response: DataResponse) throws(ImageError) {
        let status = response.head.status
        if status == .partialContent, plan.options.headers[.range] == nil, !isWhole(response) {
            throw ImageError(
                .badResponse, message: "The server sent only a part of \(plan.request), but the request was for all of it.",
                status: status.code)
        }
        guard status.kind != .successful else { return }
        let reason = status.reasonPhrase.isEmpty ? "" : " \(status.reasonPhrase)"
        throw ImageError(
            .httpStatus, message: "The server answered \(status.code)\(reason) for \(plan.request).", status: status.code)
    }

    /// Whether a partial response has everything from the first byte to the last (RFC 9110, section 14.4).
    private func isWhole(_ part: DataResponse) -> Bool {
        guard let count = part.expectedBytes else { return false }
        return part.head.headerFields[.contentRange] == "bytes 0-\(count - 1)/\(count)"
    }

    /// Reads the body chunk by chunk: whole, or its first bytes where only the header is wanted.
    private func collect(_ response: DataResponse, _ progress: Progress) async throws -> FetchedBody {
        let bytes = ReceivedBytes()
        let expected = response.expectedBytes
        var nextLook = plan.goal == .info ? 64 : Int.max
        for try await chunk in response.body {
            let received = try received(chunk, of: expected, bytes, progress)
            guard received >= nextLook else { continue }
            nextLook = 2 * received
            let hasHeader = try await parts.workers.run { [parts, plan] in
                (try? parts.decoder.info(ofPrefix: bytes.all, limits: parts.limits(plan))) != nil
            }
            if hasHeader {
                return body(bytes.all, isWhole: false, of: response)
            }
        }
        return body(try checked(bytes.all, expected: expected, response), of: response)
    }

    /// Keeps a chunk and reports the progress. Returns how many bytes have come.
    private func received(
        _ chunk: Data, of expected: Int?, _ bytes: ReceivedBytes, _ progress: Progress
    ) throws(ImageError) -> Int {
        guard bytes.count + chunk.count <= maximumBytes else { throw tooLarge() }
        guard let received = bytes.append(chunk, expected: expected) else {
            throw .outOfMemory(plan.request.description, received: bytes.count)
        }
        progress(bytes, LoadProgress(received: received, expected: expected))
        return received
    }

    private func checked(_ data: Data, expected: Int?, _ response: DataResponse) throws(ImageError) -> Data {
        if let expected, data.count < expected, response.head.headerFields[.contentEncoding] == nil {
            throw ImageError(
                .connectionLost, message: "The connection ended after \(data.count) of \(expected) bytes of \(plan.request).")
        }
        return data
    }

    private var maximumBytes: Int { plan.maximumResponseBytes(parts) }

    private func tooLarge(_ announced: Int? = nil) -> ImageError {
        .tooLarge(plan.request.description, announced: announced, limit: maximumBytes)
    }
}
