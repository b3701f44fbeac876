internal import ImageCore

/// Asks the data cache for the bytes. A failing cache counts as a miss.
struct OriginalCacheStage: Sendable {
    let cache: (any DataCaching)?
    let plan: LoadPlan

    func run(_ node: NodeID, _ start: StepStart, _ coordinator: any Pipeline.Reporting) {
        start.run {
            let timer = StageTimer(.originalCache, plan, coordinator)
            let entry = await read(coordinator)
            let time = timer.end()
            if let entry {
                var metrics = LoadMetrics()
                metrics.byteCount = entry.data.count
                metrics.originalCache = time
                coordinator.finish(
                    node, .success(.original(Original(entry, tier: .disk, metrics: metrics))), retention: .never, on: .elsewhere)
            } else if plan.options.cachePolicy.isOnlyIfCached {
                let error = ImageError(
                    .notCached, message: "\(plan.request) is in no cache, and only cached images were asked for.",
                    stage: .originalCache, source: plan.request.description)
                coordinator.finish(node, .failure(.failed(error)), retention: .never, on: .elsewhere)
            } else {
                coordinator.advance(node, to: .network)
            }
        }
    }

    private func read(_ coordinator: any Pipeline.Reporting) async -> DataEntry? {
        do {
            return try await cache?.entry(for: plan.dataKey)
        } catch is CancellationError {
            return nil
        } catch {
            coordinator.observe(.cacheFailed(.wrapping(error, stage: .originalCache, source: plan.request.description)), plan)
            return nil
        }
    }
}
