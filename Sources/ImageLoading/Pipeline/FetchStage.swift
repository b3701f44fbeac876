internal import HTTPTypes
internal import ImageCore

/// Gets the bytes from the source itself: a loader, a closure, or memory.
struct FetchStage: Sendable {
    let pipeline: Pipeline
    let plan: LoadPlan
    let priority: LoadPriority

    func run(_ node: NodeID, _ start: StepStart, _ coordinator: any Pipeline.Reporting) {
        start.run {
            guard !start.token.isCancelled else {
                return coordinator.finish(node, .failure(.cancelled), retention: .never, on: .elsewhere)
            }
            let timer = StageTimer(.network, plan, coordinator)
            do {
                let body = try await fetch(node, coordinator)
                var metrics = LoadMetrics()
                metrics.byteCount = body.entry.data.count
                metrics.retries = body.retries
                metrics.network = timer.end()
                let original = Original(
                    body.entry, tier: body.tier, metrics: metrics, isFetched: !plan.isLocal && body.tier == .network,
                    isWhole: body.isWhole)
                // Stored once a decode has shown that these bytes are a picture, so that no error page poisons the cache.
                // What a response cache answers for, the loader has stored already.
                // Bytes that nobody decodes are kept where a decoder at least knows their format.
                let isKept = !plan.isLocal && responseCache == nil && body.isWhole
                coordinator.finish(
                    node, .success(.original(original)),
                    retention: !isKept ? .never : await isProven(body) ? .now : .whenProven, on: .elsewhere)
            } catch {
                timer.end()
                coordinator.fail(node, error, stage: .network, plan, start.token, on: .elsewhere)
            }
        }
    }

    private func isProven(_ body: Body) async -> Bool {
        guard plan.goal == .bytes else { return false }
        return await pipeline.onWorker { $0.decoder.format(of: body.entry.data) != nil }
    }

    /// The `Accept` field for what the decoders read; anything else is taken too, and judged by its bytes.
    static func accept(for formats: [ImageFormat]) -> String {
        (formats.map(\.mediaType) + ["image/*;q=0.8", "*/*;q=0.5"]).joined(separator: ", ")
    }

    /// What answers for the plan's URL in the place of the data cache, and the request to ask it with; `nil` for a source
    /// that is not on the web.
    var responseCache: (cache: any ResponseCaching, request: DataRequest)? {
        guard let cache = pipeline.configuration.responseCache, case .url(let url) = plan.request.source,
            let scheme = url.scheme?.lowercased(), scheme == "https" || scheme == "http"
        else { return nil }
        return (cache, request(for: url))
    }

    /// What was read of a response.
    struct Body: Sendable {
        var entry: DataEntry
        var tier = CacheTier.network
        var retries = 0
        var isWhole = true
    }

    /// The bytes of a response that is a success: all of them, or as many as tell its header where no more is asked for.
    func body(of response: DataResponse, _ node: NodeID, _ coordinator: any Pipeline.Reporting) async throws -> Body {
        try judge(response)
        let limit = plan.options.maximumResponseBytes ?? pipeline.configuration.maximumResponseBytes
        let expected = response.expectedBytes
        if let expected, expected > limit { throw tooLarge(limit) }
        var (data, isWhole) = (Data(), true)
        if let whole = response.body.wholeData {
            // A body in one piece is not copied, and nothing is waited for.
            data = try checked(whole, expected: expected, response)
        } else {
            (data, isWhole) = try await collect(response, expected: expected, within: limit, node, coordinator)
        }
        return Body(
            entry: entry(data, head: response.head), tier: response.tier, retries: response.retries, isWhole: isWhole)
    }

    private func fetch(
        _ node: NodeID, _ coordinator: any Pipeline.Reporting
    ) async throws -> Body {
        switch plan.request.source {
        case .bytes(let data, _): return Body(entry: entry(data))
        case .producer(_, let produce): return Body(entry: entry(try await produce()))
        case .url(let url):
            let (loader, interceptors) = (pipeline.configuration.dataLoader, plan.options.interceptors)
            let wrapped: any DataLoading =
                interceptors.isEmpty ? loader : InterceptedLoader(loader, interceptors: interceptors)
            let response = try await wrapped.load(request(for: url))
            return try await body(of: response, node, coordinator)
        }
    }

    private func request(for url: URL) -> DataRequest {
        var policy = plan.options.cachePolicy
        if !plan.options.storesToDisk || !plan.options.diskStorage.keepsOriginal(isProcessed: plan.isProcessed) {
            policy.remove(.writesDisk)
        }
        var request = DataRequest(
            url: url, headerFields: plan.options.headers, timeout: plan.options.timeout,
            maximumBytes: plan.options.maximumResponseBytes, priority: priority, retries: plan.options.retries,
            allowsExpensiveNetwork: plan.options.allowsExpensiveNetwork, cachePolicy: policy)
        if !plan.isLocal, request.headerFields[.accept] == nil {
            request.headerFields[.accept] = pipeline.accept
        }
        return request
    }

    private func judge(_ response: DataResponse) throws(ImageError) {
        guard response.head.status.kind != .successful else { return }
        let status = response.head.status
        let reason = status.reasonPhrase.isEmpty ? "" : " \(status.reasonPhrase)"
        throw ImageError(
            .httpStatus, message: "The server answered \(status.code)\(reason) for \(plan.request).", status: status.code)
    }

    /// The whole body, chunk by chunk, or as much of it as tells its header where no more is asked for.
    private func collect(
        _ response: DataResponse, expected: Int?, within limit: Int, _ node: NodeID, _ coordinator: any Pipeline.Reporting
    ) async throws -> (Data, isWhole: Bool) {
        let bytes = ReceivedBytes()
        var nextLook = plan.goal == .info ? 64 : Int.max
        for try await chunk in response.body {
            guard bytes.count + chunk.count <= limit else { throw tooLarge(limit) }
            let received = bytes.append(chunk, expected: expected)
            let progress = LoadProgress(received: received, expected: expected)
            coordinator.observe(.progress(progress), plan)
            coordinator.report(progress, bytes, from: node)
            guard received >= nextLook else { continue }
            nextLook = 2 * received
            let limits = pipeline.limits(plan)
            if await pipeline.onWorker({ (try? $0.decoder.info(ofHead: bytes.all, limits: limits)) != nil }) {
                return (bytes.all, isWhole: false)
            }
        }
        return (try checked(bytes.all, expected: expected, response), true)
    }

    private func checked(_ data: Data, expected: Int?, _ response: DataResponse) throws(ImageError) -> Data {
        if let expected, data.count < expected, response.head.headerFields[.contentEncoding] == nil {
            throw ImageError(
                .connectionLost, message: "The connection ended after \(data.count) of \(expected) bytes of \(plan.request).")
        }
        return data
    }

    private func tooLarge(_ limit: Int) -> ImageError {
        ImageError(
            .tooLarge,
            message: "The body of \(plan.request) is larger than the limit of \(limit) bytes; raise the limit to load it.")
    }

    private func entry(_ data: Data, head: HTTPResponse = HTTPResponse(status: .ok)) -> DataEntry {
        DataEntry(data: data, head: head, storedAt: Date().timeIntervalSince1970)
    }
}
