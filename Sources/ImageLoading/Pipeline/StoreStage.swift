internal import ImageCore

/// Keeps a result: an image in memory at once, an original in the data cache from a task of its own.
struct StoreStage: Sendable {
    let configuration: ImageLoader.Configuration
    let plan: LoadPlan

    func run(
        _ node: NodeID, _ key: WorkKey, _ result: WorkResult, _ priority: CachePriority, _ coordinator: any Pipeline.Reporting
    ) {
        switch result {
        case .image(let staged):
            configuration.memoryCache?.store(staged.image, for: key.image, priority: priority)
            coordinator.settle(node)
        case .header: coordinator.settle(node)
        case .original(let original):
            guard let cache = configuration.dataCache else { return coordinator.settle(node) }
            Task {
                let timer = StageTimer(.store, plan, coordinator)
                do {
                    try await cache.store(original.entry, for: plan.dataKey)
                    timer.end()
                } catch {
                    timer.end()
                    coordinator.observe(.cacheFailed(.wrapping(error, stage: .store, source: plan.request.description)), plan)
                }
                // Until now late comers found the bytes in the graph; from now on they find them in the cache.
                coordinator.settle(node)
            }
        }
    }
}
