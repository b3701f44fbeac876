internal import ImageCore

/// Keeps a result: an image in memory at once; an original, or an encoded image, in the data cache while the load continues.
struct StoreStage: Sendable {
    let pipeline: Pipeline
    let plan: LoadPlan

    func run(
        _ node: NodeID, _ key: WorkKey, _ result: WorkResult, _ priority: CachePriority, _ targets: StoreTargets,
        _ coordinator: any Pipeline.Reporting
    ) {
        switch result {
        case .image(let staged):
            if targets.contains(.memory) {
                pipeline.configuration.memoryCache?.store(staged.image, for: key.image, priority: priority)
            }
            guard targets.contains(.disk), key.kind == .image else { return coordinator.storeFinished(node) }
            ProcessedCacheStage(pipeline: pipeline, plan: plan).store(staged.image, named: key.image, coordinator) {
                coordinator.storeFinished(node)
            }
        case .header: coordinator.storeFinished(node)
        case .original(let original):
            guard let cache = pipeline.configuration.dataCache else { return coordinator.storeFinished(node) }
            Task {
                let timer = StageTimer(.store, plan, coordinator)
                do {
                    try await cache.store(original.entry, for: plan.dataKey)
                    timer.end()
                } catch {
                    timer.end()
                    coordinator.observe(
                        .cacheFailed(.wrapping(error, stage: .store, source: plan.request.description)), plan)
                }
                // Until now late loads found the bytes in the graph; from now on they find them in the cache.
                coordinator.storeFinished(node)
            }
        }
    }
}
