internal import HTTPTypes
internal import ImageCore

/// Gets the bytes from the source: a loader, a closure, or memory.
struct FetchStage: Sendable {
    let pipeline: Pipeline
    let plan: LoadPlan
    /// The purpose and the priority of the load.
    let rank: RankClass

    func run(_ node: NodeID, _ context: StageContext, _ coordinator: any Pipeline.Reporting) {
        context.startTask {
            guard !context.token.isCancelled else {
                return coordinator.finish(node, .failure(.cancelled), retention: .never)
            }
            let timer = StageTimer(.network, plan, coordinator)
            do {
                let body = try await fetch(node, coordinator)
                finish(node, body, after: timer.end(), coordinator)
            } catch {
                timer.end()
                coordinator.fail(node, error, stage: .network, plan, context.token)
            }
        }
    }

    private func finish(_ node: NodeID, _ body: Body, after time: Duration, _ coordinator: any Pipeline.Reporting) {
        var metrics = LoadMetrics()
        metrics.byteCount = body.entry.data.count
        metrics.retries = body.retries
        metrics.network = time
        let original = Original(
            body.entry, tier: body.tier, metrics: metrics, isFetched: !plan.isLocal && body.tier == .network,
            isWhole: body.isWhole)
        // Stored once a decode has shown that the bytes are an image, so that no error page poisons the cache.
        // With a response cache, the loader has stored them already.
        let isKept = !plan.isLocal && responseCache == nil && body.isWhole
        coordinator.finish(
            node, .success(.original(original)), retention: !isKept ? .never : isProven(body) ? .now : .whenProven)
    }

    /// Bytes that are not decoded are kept where a decoder knows their format, which takes only a peek.
    private func isProven(_ body: Body) -> Bool {
        plan.goal == .bytes && pipeline.configuration.decoder.format(of: body.entry.data) != nil
    }

    /// The `Accept` field for the formats that the decoders read. Anything else is accepted too, and judged by its bytes.
    static func accept(for formats: [ImageFormat]) -> String {
        (formats.map(\.mediaType) + ["image/*;q=0.8", "*/*;q=0.5"]).joined(separator: ", ")
    }

    /// The cache that takes the place of the data cache for the plan's URL, and the request to look up; `nil` for a source
    /// that is not on the web.
    var responseCache: (cache: any ResponseCaching, request: DataRequest)? {
        guard let cache = pipeline.configuration.responseCache, case .url(let url) = plan.request.source,
            let scheme = url.scheme?.lowercased(), scheme == "https" || scheme == "http"
        else { return nil }
        return (cache, request(for: url))
    }

    /// What was read of a response.
    struct Body: Sendable {
        let entry: DataEntry
        var tier = CacheTier.network
        var retries = 0
        var isWhole = true
    }

    /// The body of a successful response: whole, or its first bytes where only the header is wanted.
    func body(of response: DataResponse, _ node: NodeID, _ coordinator: any Pipeline.Reporting) async throws -> Body {
        try judge(response)
        let expected = response.expectedBytes
        if let expected, expected > maximumBytes { throw tooLarge() }
        guard let whole = response.body.wholeData else { return try await collect(response, node, coordinator) }
        return body(try checked(whole, expected: expected, response), of: response)
    }

    private func body(_ data: Data, isWhole: Bool = true, of response: DataResponse) -> Body {
        Body(entry: entry(data, head: response.head), tier: response.tier, retries: response.retries, isWhole: isWhole)
    }

    private func fetch(
        _ node: NodeID, _ coordinator: any Pipeline.Reporting
    ) async throws -> Body {
        switch plan.request.source {
        case .bytes(let data, _): return Body(entry: entry(data))
        case .producer(_, let produce): return Body(entry: entry(try await produce()))
        case .url(let url): return try await body(of: loader.load(request(for: url)), node, coordinator)
        }
    }

    /// The loader's network layer, within the plan's interceptors.
    private var loader: any DataLoading {
        let (loader, interceptors) = (pipeline.configuration.dataLoader, plan.options.interceptors)
        return interceptors.isEmpty ? loader : InterceptedLoader(loader, interceptors: interceptors)
    }

    private func request(for url: URL) -> DataRequest {
        var policy = plan.options.cachePolicy
        if !plan.options.storesToDisk || !plan.options.diskStorage.keepsOriginal(isProcessed: plan.isProcessed) {
            policy.remove(.writesDisk)
        }
        var request = DataRequest(
            url: url, headerFields: plan.options.headers, timeout: plan.options.timeout,
            maximumBytes: plan.options.maximumResponseBytes, priority: rank.priority, retries: plan.options.retries,
            allowsExpensiveNetwork: plan.options.allowsExpensiveNetwork, cachePolicy: policy, purpose: rank.purpose)
        if !plan.isLocal, request.headerFields[.accept] == nil {
            request.headerFields[.accept] = pipeline.accept
        }
        return request
    }

    private func judge(_ response: DataResponse) throws(ImageError) {
        let status = response.head.status
        if status == .partialContent, plan.options.headers[.range] == nil, !isWhole(response) {
            throw ImageError(
                .badResponse, message: "The server sent a part of \(plan.request), though all of it was asked for.",
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
    private func collect(
        _ response: DataResponse, _ node: NodeID, _ coordinator: any Pipeline.Reporting
    ) async throws -> Body {
        let bytes = ReceivedBytes()
        let expected = response.expectedBytes
        var nextLook = plan.goal == .info ? 64 : Int.max
        for try await chunk in response.body {
            let received = try received(chunk, of: expected, bytes, node, coordinator)
            guard received >= nextLook else { continue }
            nextLook = 2 * received
            let limits = pipeline.limits(plan)
            if await pipeline.onWorker({ (try? $0.decoder.info(ofHead: bytes.all, limits: limits)) != nil }) {
                return body(bytes.all, isWhole: false, of: response)
            }
        }
        return body(try checked(bytes.all, expected: expected, response), of: response)
    }

    /// Keeps a chunk and reports the progress. Returns how many bytes have come.
    private func received(
        _ chunk: Data, of expected: Int?, _ bytes: ReceivedBytes, _ node: NodeID, _ coordinator: any Pipeline.Reporting
    ) throws(ImageError) -> Int {
        guard bytes.count + chunk.count <= maximumBytes else { throw tooLarge() }
        guard let received = bytes.append(chunk, expected: expected) else {
            throw ImageError(
                .tooLarge,
                message: "There is not enough memory for the body of \(plan.request), of which \(bytes.count) bytes have come.")
        }
        let progress = LoadProgress(received: received, expected: expected)
        coordinator.observe(.progress(progress), plan)
        coordinator.report(progress, bytes, from: node)
        return received
    }

    private func checked(_ data: Data, expected: Int?, _ response: DataResponse) throws(ImageError) -> Data {
        if let expected, data.count < expected, response.head.headerFields[.contentEncoding] == nil {
            throw ImageError(
                .connectionLost, message: "The connection ended after \(data.count) of \(expected) bytes of \(plan.request).")
        }
        return data
    }

    /// The largest body that is accepted, in bytes.
    private var maximumBytes: Int { plan.options.maximumResponseBytes ?? pipeline.configuration.limits.responseBytes }

    private func tooLarge() -> ImageError {
        ImageError(
            .tooLarge,
            message:
                "The body of \(plan.request) is larger than the limit of \(maximumBytes) bytes; raise the limit to load it.")
    }

    private func entry(_ data: Data, head: HTTPResponse = HTTPResponse(status: .ok)) -> DataEntry {
        DataEntry(data: data, head: head, storedAt: Date().timeIntervalSince1970)
    }
}
