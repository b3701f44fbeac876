internal import ImageCore

/// Asks the response cache, for the web, or else the data cache for the bytes. A failing cache counts as a miss.
struct OriginalCacheStage: Sendable {
    let pipeline: Pipeline
    let plan: LoadPlan

    func run(_ node: NodeID, _ start: StepStart, _ coordinator: any Pipeline.Reporting) {
        start.run {
            let timer = StageTimer(.originalCache, plan, coordinator)
            do {
                let body = try await read(node, start.rank, coordinator)
                answered(body, in: timer, node, start.token, coordinator)
            } catch {
                failed(error, in: timer, node, start.token, coordinator)
            }
        }
    }

    @inline(never)
    private func failed(
        _ error: any Error, in timer: StageTimer, _ node: NodeID, _ token: CancellationToken,
        _ coordinator: any Pipeline.Reporting
    ) {
        timer.end()
        coordinator.fail(node, error, stage: .originalCache, plan, token, on: .elsewhere)
    }

    /// Apart, as is what fails: what a function keeps while it waits is memory of each load that waits.
    @inline(never)
    private func answered(
        _ body: FetchStage.Body?, in timer: StageTimer, _ node: NodeID, _ token: CancellationToken,
        _ coordinator: any Pipeline.Reporting
    ) {
        let time = timer.end()
        if pipeline.hasByteCache { coordinator.observe(.cacheAsked(.disk, isHit: body != nil), plan) }
        if let body {
            var metrics = LoadMetrics()
            metrics.byteCount = body.entry.data.count
            metrics.originalCache = time
            coordinator.finish(
                node, .success(.original(Original(body.entry, tier: .disk, metrics: metrics, isWhole: body.isWhole))),
                retention: .never, on: .fetched)
        } else if plan.options.cachePolicy.isOnlyIfCached {
            let missing = ImageError(
                .notCached, message: "\(plan.request) is in no cache, and only cached images were asked for.")
            coordinator.fail(node, missing, stage: .originalCache, plan, token, on: .elsewhere)
        } else {
            coordinator.advance(node, to: .network)
        }
    }

    /// The stored bytes. Throws where the response that is stored, and still holds, is a failure of the server's.
    private func read(
        _ node: NodeID, _ rank: RankClass, _ coordinator: any Pipeline.Reporting
    ) async throws -> FetchStage.Body? {
        let fetch = FetchStage(pipeline: pipeline, plan: plan, rank: rank)
        let stored: DataResponse?
        do {
            guard let (responses, request) = fetch.responseCache else {
                return try await pipeline.configuration.dataCache?.entry(for: plan.dataKey).map { FetchStage.Body($0) }
            }
            stored = try await responses.storedResponse(for: request)
        } catch {
            cacheFailed(error, coordinator)
            return nil
        }
        guard let stored else { return nil }
        return try await fetch.body(of: stored, node, coordinator)
    }

    @inline(never)
    private func cacheFailed(_ error: any Error, _ coordinator: any Pipeline.Reporting) {
        guard !(error is CancellationError) else { return }
        coordinator.observe(.cacheFailed(.wrapping(error, stage: .originalCache, source: plan.request.description)), plan)
    }
}
