internal import ImageCore

/// Asks the response cache, for the web, or else the data cache for the bytes. A failing cache counts as a miss.
struct OriginalCacheStage: Sendable {
    let pipeline: Pipeline
    let plan: LoadPlan

    func run(_ node: NodeID, _ start: StepStart, _ coordinator: any Pipeline.Reporting) {
        start.run {
            let timer = StageTimer(.originalCache, plan, coordinator)
            do {
                let body = try await read(node, start.priority, coordinator)
                let time = timer.end()
                if pipeline.hasByteCache { coordinator.observe(.cacheAsked(.disk, isHit: body != nil), plan) }
                if let body {
                    var metrics = LoadMetrics()
                    metrics.byteCount = body.entry.data.count
                    metrics.originalCache = time
                    coordinator.finish(
                        node, .success(.original(Original(body.entry, tier: .disk, metrics: metrics, isWhole: body.isWhole))),
                        retention: .never,
                        on: .elsewhere)
                } else if plan.options.cachePolicy.isOnlyIfCached {
                    throw ImageError(
                        .notCached, message: "\(plan.request) is in no cache, and only cached images were asked for.")
                } else {
                    coordinator.advance(node, to: .network)
                }
            } catch {
                timer.end()
                coordinator.fail(node, error, stage: .originalCache, plan, start.token, on: .elsewhere)
            }
        }
    }

    /// The stored bytes. Throws where the response that is stored, and still holds, is a failure of the server's.
    private func read(
        _ node: NodeID, _ priority: LoadPriority, _ coordinator: any Pipeline.Reporting
    ) async throws -> FetchStage.Body? {
        let fetch = FetchStage(pipeline: pipeline, plan: plan, priority: priority)
        guard let (responses, request) = fetch.responseCache else {
            return await attempt(coordinator) { try await pipeline.configuration.dataCache?.entry(for: plan.dataKey) }
                .map { FetchStage.Body(entry: $0) }
        }
        let stored = await attempt(coordinator) { try await responses.storedResponse(for: request) }
        guard let stored else { return nil }
        return try await fetch.body(of: stored, node, coordinator)
    }

    private func attempt<R>(_ coordinator: any Pipeline.Reporting, _ body: () async throws -> R?) async -> R? {
        do {
            return try await body()
        } catch is CancellationError {
            return nil
        } catch {
            coordinator.observe(.cacheFailed(.wrapping(error, stage: .originalCache, source: plan.request.description)), plan)
            return nil
        }
    }
}
