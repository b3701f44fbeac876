internal import HTTPTypes
internal import ImageCore

/// Gets the bytes from the source: a network layer, a closure, or memory.
struct NetworkStage: Sendable {
    let coordinator: LoadCoordinator
    let job: Job

    /// - Parameters:
    ///   - transaction: what the lookup in the response cache found.
    ///   - standsIn: whether a failure is answered by what is stored (``DataRequest/standsIn``).
    func fetch(
        _ transaction: (any ResponseTransaction)?, standsIn: (@Sendable (ImageError) -> Bool)? = nil
    ) async throws -> Original {
        switch job.plan.request.source {
        case .bytes(let data, _): return local(data)
        case .producer(_, let produce): return local(try await produce())
        case .image, .imageProducer: throw ImageError.noInput
        case .url(let url, _):
            let limits = coordinator.beginFetch(job)
            defer { coordinator.endFetch(job) }
            var request = job.plan.dataRequest(url, coordinator.rank(of: job), coordinator.components, limits)
            (request.deadline, request.cacheTransaction) = (coordinator.deadline(of: job), transaction)
            request.standsIn = standsIn
            let response = try await job.plan.loader(coordinator.components).load(request)
            return try await BodyReader(coordinator, job, maximumBytes: limits.maximumBytes).read(response)
        }
    }

    private func local(_ data: Data) -> Original {
        let entry = DataEntry(data: data, head: HTTPResponse(status: .ok), storedAt: Date().timeIntervalSince1970)
        return Original(entry: entry, tier: .local, job: job.id)
    }
}

/// Reads the body of a response from the network layer or the response cache: whole, or its first bytes where only the
/// header is wanted. One buffer holds it; that of a loader which resumes the body is used where there is one.
struct BodyReader: Sendable {
    private let components: Components
    private let plan: LoadPlan
    private let maximumBytes: Int
    /// Gets the bytes as they arrive; `nil` where no job waits for them.
    private let job: (coordinator: LoadCoordinator, job: Job)?

    init(_ coordinator: LoadCoordinator, _ job: Job, maximumBytes: Int) {
        (components, plan, self.job) = (coordinator.components, job.plan, (coordinator, job))
        self.maximumBytes = maximumBytes
    }

    init(_ components: Components, _ plan: LoadPlan) {
        (self.components, self.plan, job) = (components, plan, nil)
        maximumBytes = plan.maximumResponseBytes(components)
    }

    /// - Throws: the error of a response without success, of one that is too large, and of one that ends early.
    func read(_ response: DataResponse) async throws -> Original {
        defer {
            let retries = response.retries + (response.body.buffer?.retries ?? 0)
            job?.job.metrics.withLock { $0.retries += retries }
        }
        try judge(response)
        let expected = response.expectedBytes
        if let expected {
            job.map { $0.coordinator.endLoads(of: $0.job, acceptingLessThan: expected, isAnnounced: true) }
            guard expected <= maximumBytes else { throw tooLarge(announced: expected) }
        }
        if let whole = response.body.wholeData { return try original(whole, of: response) }
        let buffer = response.body.buffer ?? BodyBuffer()
        var nextLook = plan.goal == .info ? 64 : Int.max
        for try await chunk in response.body {
            if response.body.buffer == nil { try append(chunk, to: buffer, expected) }
            let count = buffer.count
            guard count <= maximumBytes else { throw tooLarge(announced: nil) }
            try report(buffer, count, expected)
            guard count >= nextLook else { continue }
            nextLook = 2 * count
            if try await hasHeader(buffer.data) { return try original(buffer.data, isWhole: false, of: response) }
        }
        return try original(buffer.data, of: response)
    }

    private func append(_ chunk: Data, to buffer: BodyBuffer, _ expected: Int?) throws(ImageError) {
        guard buffer.count + chunk.count <= maximumBytes else { throw tooLarge(announced: nil) }
        if buffer.append(chunk, expected: expected) == nil {
            throw .outOfMemory(plan.request.description, received: buffer.count)
        }
    }

    private func report(_ buffer: BodyBuffer, _ count: Int, _ expected: Int?) throws {
        guard let (coordinator, job) = job else { return }
        let progress = LoadProgress(received: count, expected: expected)
        coordinator.endLoads(of: job, acceptingLessThan: count, isAnnounced: false)
        coordinator.observe(.progress(progress), plan)
        coordinator.report(progress, buffer, from: job)
        try job.token.check()
    }

    private func hasHeader(_ prefix: Data) async throws -> Bool {
        try await components.workers.run { [components, plan] in
            (try? components.decoder.info(ofPrefix: prefix, limits: components.limits(plan))) != nil
        }
    }

    private func original(_ data: Data, isWhole: Bool = true, of response: DataResponse) throws(ImageError) -> Original {
        if isWhole, let expected = response.expectedBytes, data.count < expected,
            response.head.headerFields[.contentEncoding] == nil
        {
            throw ImageError(
                .connectionLost, message: "The connection ended after \(data.count) of \(expected) bytes of \(plan.request).")
        }
        let entry = DataEntry(data: data, head: response.head, storedAt: Date().timeIntervalSince1970)
        return Original(
            entry: entry, tier: plan.isLocal ? .local : response.tier, isWhole: isWhole,
            responseHead: response.responseHead(receivedAt: entry.storedAt), job: job?.job.id ?? JobID(rawValue: 0),
            commit: isWhole ? commit(entry, response) : nil)
    }

    /// What stores the bytes: the network layer with its response cache, or for other URLs the data cache.
    private func commit(_ entry: DataEntry, _ response: DataResponse) -> Commit? {
        if plan.isLocal { return nil }
        if plan.responseCache(components) != nil {
            guard let commit = response.commit else { return nil }
            return Commit { try await commit(entry.data) }
        }
        guard let cache = components.dataCache, response.tier == .network, !response.head.headerFields.forbidStorage,
            entry.data.count <= components.configuration.limits.maximumStoredBytes
        else { return nil }
        return Commit { [key = plan.dataKey] in try await cache.store(entry, for: key) }
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
        guard let range = ContentRange(part.head.headerFields[.contentRange]), range.first == 0 else { return false }
        let count = part.expectedBytes ?? range.total
        return count == range.last + 1 && range.total ?? count == count
    }

    private func tooLarge(announced: Int?) -> ImageError {
        .tooLarge(plan.request.description, announced: announced, limit: maximumBytes)
    }
}
