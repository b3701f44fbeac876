internal import ImageCore

/// Looks the bytes up in the response cache, for a web address, or else in the data cache. A failing cache counts as a miss.
struct OriginalCacheStage: Sendable {
    let pipeline: Pipeline
    let plan: LoadPlan

    func run(_ node: NodeID, _ context: StageContext, _ coordinator: any Pipeline.Reporting) {
        context.startTask {
            let timer = StageTimer(.originalCache, plan, coordinator)
            do {
                let body = try await read(node, context.rank, coordinator)
                let time = timer.end()
                if pipeline.hasByteCache { coordinator.observe(.cacheLookup(.disk, isHit: body != nil), plan) }
                finish(node, body, after: time, context.token, coordinator)
            } catch {
                timer.end()
                coordinator.fail(node, error, stage: .originalCache, plan, context.token)
            }
        }
    }

    private func finish(
        _ node: NodeID, _ body: FetchStage.Body?, after time: Duration, _ token: CancellationToken,
        _ coordinator: any Pipeline.Reporting
    ) {
        if let body {
            var metrics = LoadMetrics()
            metrics.byteCount = body.entry.data.count
            metrics.originalCache = time
            let original = Original(body.entry, tier: .disk, metrics: metrics, isWhole: body.isWhole)
            coordinator.finish(node, .success(.original(original)), retention: .never)
        } else if plan.options.cachePolicy.isOnlyIfCached {
            let missing = ImageError(
                .notCached, message: "\(plan.request) is in no cache, and only cached images were asked for.")
            coordinator.fail(node, missing, stage: .originalCache, plan, token)
        } else {
            coordinator.advance(node, to: .network)
        }
    }

    /// The stored bytes. Throws where the stored response is fresh and reports a failure of the server.
    private func read(
        _ node: NodeID, _ rank: RankClass, _ coordinator: any Pipeline.Reporting
    ) async throws -> FetchStage.Body? {
        let fetch = FetchStage(pipeline: pipeline, plan: plan, rank: rank)
        let stored: DataResponse?
        do {
            guard let (responses, request) = fetch.responseCache else {
                return try await pipeline.configuration.dataCache?.entry(for: plan.dataKey).map { FetchStage.Body(entry: $0) }
            }
            stored = try await responses.storedResponse(for: request)
        } catch is CancellationError {
            return nil
        } catch {
            coordinator.observe(.cacheFailed(.wrapping(error, stage: .originalCache, source: plan.request.description)), plan)
            return nil
        }
        guard let stored else { return nil }
        return try await fetch.body(of: stored, node, coordinator)
    }
}
