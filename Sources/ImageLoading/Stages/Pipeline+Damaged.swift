internal import ImageCore

/// Damaged bytes in a cache: they are removed, and count as a miss.
extension Pipeline {
    /// The result of a decode. An error ends the work, unless a cache has the bytes: they must be removed from it first.
    func result<Output>(
        of work: SharedWork, isCached: @autoclosure () -> Bool, _ decode: () throws -> Output
    ) throws -> Result<Output, any Error> {
        do {
            return .success(try decode())
        } catch {
            guard !work.token.isCancelled, !(error is CancellationError), isCached() else { throw error }
            return .failure(error)
        }
    }

    /// Whether a cache has the bytes: it may have had them before, or have stored them while they were fetched.
    func isCached(_ original: Original, _ plan: LoadPlan) -> Bool {
        original.tier == .disk || plan.responseCache(parts) != nil
    }

    /// Removes bytes that do not decode from the cache that has them; bytes that came from a cache are fetched once more.
    func damaged(
        _ original: Original, _ error: any Error, _ processor: (any Processing)?, _ work: SharedWork
    ) -> WorkStep {
        let fetchesAgain = original.tier == .disk && !work.plan.options.cachePolicy.isOnlyIfCached
        return .task(nil, on: .diskCache) {
            if original.claimRemoval() { await removeOriginal(work) }
        } then: { _, _ in
            guard fetchesAgain else { return .failed(error, .decode) }
            let key = WorkKey(kind: .original, origin: .source, image: ImageKey(resource: work.plan.resource))
            let need = WorkStep.Need(key: key) {
                fetchedOriginal($0, nil)
            } then: {
                decoded(try $0.original(), processor, work)
            }
            return .needs(need)
        }
    }

    /// Removes the bytes from the cache that has them.
    private func removeOriginal(_ work: SharedWork) async {
        let plan = work.plan
        await report(.originalCache, plan) {
            if let responses = plan.responseCache(parts), let request = plan.dataRequest(coordinator.rank(of: work), parts) {
                try await responses.removeResponse(for: request)
            } else {
                try await parts.dataCache?.removeEntry(for: plan.dataKey)
            }
        }
    }
}
