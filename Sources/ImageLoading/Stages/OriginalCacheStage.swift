internal import ImageCore

/// Looks the original bytes up: in the response cache for a web URL, in the data cache for any other.
struct OriginalCacheStage: Sendable {
    let coordinator: LoadCoordinator
    let job: Job

    /// What the lookup found.
    enum Lookup: Sendable {
        /// If there is a transaction, the entry is stale, and the request is also sent in the background.
        case hit(Original, revalidating: (any ResponseTransaction)?)
        /// The network is needed; the transaction goes with the request.
        case miss((any ResponseTransaction)?)
    }

    /// A cache that fails counts as a miss, and is reported to the observers.
    ///
    /// - Throws: the error of a stored response that is fresh and no image.
    func lookUp() async throws -> Lookup {
        let (plan, components) = (job.plan, coordinator.components)
        guard let responses = plan.responseCache(components), let url = plan.request.source.url else {
            // Only a response cache can ask the server.
            guard !plan.options.cachePolicy.revalidatesDisk else { return .miss(nil) }
            let entry = await coordinator.ignoringCacheErrors(in: .originalCache, plan) {
                try await components.dataCache?.entry(for: plan.dataKey)
            }
            guard let entry = entry ?? nil, !plan.isTooOld(entry) else { return .miss(nil) }
            return .hit(Original(entry: entry, tier: .disk, job: job.id), revalidating: nil)
        }
        let limits = coordinator.fetchLimits(of: job)
        let request = plan.dataRequest(url, coordinator.rank(of: job), components, limits)
        let found = await coordinator.ignoringCacheErrors(in: .originalCache, plan) { try await responses.lookUp(request) }
        switch found {
        case nil: return .miss(nil)
        case .miss(let transaction)?: return .miss(transaction)
        case .hit(var response, let transaction)?:
            response.tier = .disk
            let original = try await BodyReader(coordinator, job, maximumBytes: limits.maximumBytes).read(response)
            return .hit(original, revalidating: transaction)
        }
    }

    /// Removes the bytes from the cache that has them.
    func remove() async {
        let (plan, components) = (job.plan, coordinator.components)
        await coordinator.ignoringCacheErrors(in: .originalCache, plan) {
            if let responses = plan.responseCache(components), let url = plan.request.source.url {
                try await responses.removeResponse(for: plan.dataRequest(url, coordinator.rank(of: job), components))
            } else {
                try await components.dataCache?.removeEntry(for: plan.dataKey)
            }
        }
    }
}
