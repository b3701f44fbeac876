internal import ImageCore

/// From a source, or a cache, to the original bytes.
extension Pipeline {
    /// The bytes from the data cache, or else from the source.
    func original(_ work: SharedWork) async throws -> Original {
        guard work.plan.looksUpOriginal(parts) else { return try await fetchedOriginal(work, nil) }
        switch try await cachedOriginal(work) {
        case .hit(let original): return original
        case .miss(let transaction):
            guard !work.plan.options.cachePolicy.isOnlyIfCached else {
                throw ImageError(
                    .notCached, message: "\(work.plan.request) is in no cache, and only cached images were asked for.",
                    stage: .originalCache, source: work.plan.request.description)
            }
            return try await fetchedOriginal(work, transaction)
        }
    }

    private enum CachedOriginal {
        case hit(Original)
        case miss((any ResponseTransaction)?)
    }

    /// One lookup in the cache of bytes. A cache that fails counts as a miss.
    @inline(never)
    private func cachedOriginal(_ work: SharedWork) async throws -> CachedOriginal {
        let plan = work.plan
        let runner = StageRunner(work: work, parts: parts, coordinator: coordinator)
        let request = FetchStage(parts: parts, plan: plan).request(coordinator.rank(of: work))
        do {
            let (lookup, times) = try await runner.run(.originalCache, on: .diskCache) {
                try await OriginalCacheStage(parts: parts, plan: plan).lookUp(request, progress(work))
            }
            switch lookup {
            case .hit(let body):
                if parts.hasByteCache { coordinator.observe(.cacheLookup(.disk, isHit: true), plan) }
                var metrics = LoadMetrics()
                metrics.byteCount = body.entry.data.count
                metrics.originalCache = times.working
                return .hit(Original(body.entry, of: work.id, tier: .disk, metrics: metrics, isWhole: body.isWhole))
            case .miss(let transaction):
                if parts.hasByteCache { coordinator.observe(.cacheLookup(.disk, isHit: false), plan) }
                return .miss(transaction)
            }
        } catch let error as CacheError {
            if !(error.cause is CancellationError) {
                coordinator.observe(.cacheFailed(wrapped(error, .originalCache, plan)), plan)
            }
            coordinator.observe(.cacheLookup(.disk, isHit: false), plan)
            return .miss(nil)
        }
    }

    /// Fetches the source.
    ///
    /// - Parameter transaction: what the lookup in the response cache found.
    func fetchedOriginal(_ work: SharedWork, _ transaction: (any ResponseTransaction)?) async throws -> Original {
        let runner = StageRunner(work: work, parts: parts, coordinator: coordinator)
        let resource: ResourceClass = work.plan.isLocal ? .local : .network
        let (body, times) = try await runner.run(.network, on: resource, host: work.plan.host) {
            try await fetch(work, transaction)
        }
        return original(of: body, times, work)
    }

    // Not inlined: a task that waits for its turn would hold the frame of the fetch.
    @inline(never)
    private func fetch(_ work: SharedWork, _ transaction: (any ResponseTransaction)?) async throws -> FetchStage.Body {
        let stage = FetchStage(parts: parts, plan: work.plan)
        var request = stage.request(coordinator.rank(of: work))
        request?.deadline = coordinator.deadline(of: work)
        request?.cacheTransaction = transaction
        return try await stage.fetch(request, progress(work))
    }

    @inline(never)
    private func original(of body: FetchStage.Body, _ times: StageRunner.Times, _ work: SharedWork) -> Original {
        let plan = work.plan
        var metrics = LoadMetrics()
        metrics.byteCount = body.entry.data.count
        metrics.retries = body.retries
        metrics.network = times.working
        metrics.waiting = times.waiting
        let isFetched = !plan.isLocal && body.tier == .network
        if isFetched { coordinator.counters.fetched(metrics) }
        // With a response cache, the network layer has stored the bytes already.
        let keepsResponses = FetchStage(parts: parts, plan: plan).responseCache != nil
        let original = Original(
            body.entry, of: work.id, tier: body.tier, metrics: metrics, isFetched: isFetched, isWhole: body.isWhole,
            isStored: plan.isLocal || keepsResponses || !body.isWhole)
        // Bytes that are not decoded are stored where a decoder knows their format, which takes only a look at their first bytes.
        if plan.goal == .bytes, parts.decoder.format(of: body.entry.data) != nil { store(original, for: work) }
        return original
    }

    /// Reports the bytes that arrive to the loads, and to the previews.
    private func progress(_ work: SharedWork) -> FetchStage.Progress {
        { [coordinator] bytes, progress in
            coordinator.observe(.progress(progress), work.plan)
            coordinator.report(progress, bytes, from: work)
        }
    }

    /// Removes the bytes from the cache that has them.
    func removeOriginal(_ work: SharedWork) async {
        let stage = FetchStage(parts: parts, plan: work.plan)
        do {
            if let responses = stage.responseCache, let request = stage.request(coordinator.rank(of: work)) {
                try await responses.removeResponse(for: request)
            } else {
                try await parts.dataCache?.removeEntry(for: work.plan.dataKey)
            }
        } catch {
            coordinator.observe(
                .cacheFailed(.wrapping(error, stage: .originalCache, source: work.plan.request.description)), work.plan)
        }
    }

    func wrapped(_ error: CacheError, _ stage: LoadStage, _ plan: LoadPlan) -> ImageError {
        .wrapping(error.cause, stage: stage, source: plan.request.description)
    }
}
