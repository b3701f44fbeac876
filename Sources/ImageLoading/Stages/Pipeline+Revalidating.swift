internal import HTTPTypes
internal import ImageCore

/// What a job in the background brings up to date.
enum Revalidation: Sendable {
    /// A response that the response cache has served stale.
    case response(any ResponseTransaction)
    /// A finished image in the data cache.
    case processedImage
}

/// What is stored is served in place of the server's answer (FEATURES 5.12): where its rules allow that, the load gets
/// it after the first failed attempt, or after two seconds without progress, the wait for a slot included. The request
/// is then sent again in the background, with its retries.
extension Pipeline {
    private static let longestSilence = Duration.seconds(2)
    private static let silence = ImageError(.timedOut, message: "The server was silent.")

    /// Fetches the original that a lookup found to be stale.
    func fetch(replacing transaction: (any ResponseTransaction)?) async throws -> Original {
        guard let transaction, let responses = plan.responseCache(components), let url = plan.request.source.url else {
            return try await fetch(transaction)
        }
        let request = plan.dataRequest(url, coordinator.rank(of: job), components)
        let standsIn = { @Sendable in responses.allowsStandIn(transaction, for: request, after: $0) }
        guard standsIn(Self.silence) else { return try await fetch(transaction) }
        do {
            return try await unlessSilent { try await fetch(transaction, standsIn: standsIn) }
        } catch let error as ImageError where standsIn(error) {
            let found = await coordinator.ignoringCacheErrors(in: .originalCache, plan) {
                try await responses.standIn(for: request, after: error)
            }
            // What was removed meanwhile cannot be served.
            guard var response = found ?? nil else { return try await fetch(nil) }
            response.tier = .disk
            coordinator.revalidate(job.key.image, plan, .response(transaction))
            return try await BodyReader(coordinator, job, maximumBytes: coordinator.fetchLimits(of: job).maximumBytes)
                .read(response)
        }
    }

    /// Asks the server whether the original of a finished image is unchanged.
    func confirmOrStandIn(
        _ entry: DataEntry, _ stage: ProcessedCacheStage, _ fields: HTTPFields
    ) async throws -> ProcessedCacheStage.Revalidation {
        let standsIn = { @Sendable in stage.allowsStaleUse(of: entry, after: $0) }
        guard standsIn(Self.silence) else {
            return try await runner.run(.network, on: .network) { try await confirm(entry, stage, fields) }
        }
        do {
            return try await unlessSilent {
                try await runner.run(.network, on: .network) { try await confirm(entry, stage, fields, standsIn: standsIn) }
            }
        } catch let error as ImageError where standsIn(error) {
            coordinator.revalidate(job.key.image, plan, .processedImage)
            return .confirmed(entry)
        }
    }

    /// Ends a fetch of the job, or its wait for a slot, when nothing has arrived for too long.
    private func unlessSilent<Output: Sendable>(_ fetch: @escaping @Sendable () async throws -> Output) async throws -> Output {
        try await withThrowingTaskGroup(of: Output.self) { group in
            group.addTask { try await fetch() }
            group.addTask {
                var received: Int?
                repeat {
                    received = coordinator.receivedBytes(of: job)
                    try await components.clock.sleep(for: Self.longestSilence)
                } while coordinator.receivedBytes(of: job) != received
                coordinator.endWait(of: job, Self.silence)
                throw Self.silence
            }
            defer { group.cancelAll() }
            guard let output = try await group.next() else { throw ImageError.noInput }
            return output
        }
    }
}

/// Stale entries: the server is asked whether they are current. What it sends instead replaces them only if it is an
/// image.
extension Pipeline {
    /// Revalidates what was served stale, in the background.
    func revalidate() async throws -> Original {
        guard let revalidation = job.revalidation else { throw ImageError.noInput }
        let fetched = try await runner.run(.revalidate, on: .network) { () -> Original? in
            switch revalidation {
            case .response(let transaction):
                return try await NetworkStage(coordinator: coordinator, job: job).fetch(transaction)
            case .processedImage: return try await revalidateProcessedImage()
            }
        }
        guard let original = fetched else { throw CancellationError() }
        let isOfImage = if case .processedImage = revalidation { true } else { false }
        guard original.commit != nil || isOfImage else { return original }
        // The stored bytes, which the server has confirmed, need no proof.
        if original.tier != .disk { try await judge(original) }
        await coordinator.ignoringCacheErrors(in: .store, plan) {
            // The entry must not return if the caches were cleared meanwhile.
            if plan.storesOriginal, let commit = original.commit?.take() {
                try await coordinator.stores.store(plan.storeEpoch, commit)
            }
        }
        // The next load makes the image again.
        if isOfImage { await remove(processedStage) }
        return original
    }

    /// Decodes the bytes as the load would that found the entry, or reads their header.
    ///
    /// - Throws: the error of the decoder if they are no image.
    private func judge(_ original: Original) async throws {
        if plan.goal.decodes {
            let stage = DecodeStage(components: components, plan: plan, processor: nil)
            try await runner.runOnWorker(.revalidate) { [job] in _ = try stage.decode(original, from: nil, job.token) }
        } else {
            _ = try await runner.runOnWorker(.revalidate) { [components, plan] in
                try components.info(of: original, plan)
            }
        }
    }

    var processedStage: ProcessedCacheStage {
        ProcessedCacheStage(components: components, plan: plan, image: job.key.image)
    }

    /// Asks whether the original of a finished image has changed, and stores that it has not.
    ///
    /// - Returns: the new original; `nil` if there is nothing else to do.
    private func revalidateProcessedImage() async throws -> Original? {
        let stage = processedStage
        // Another load may have refreshed the image while this job waited.
        guard let entry = try await components.dataCache?.entry(for: stage.key) else { return nil }
        let fields: HTTPFields
        switch stage.use(of: entry) {
        case .serveWhileRevalidating(let conditional), .revalidate(let conditional): fields = conditional
        case .serve, .none: return nil
        }
        switch try await confirm(entry, stage, fields) {
        case .confirmed(let confirmed):
            guard confirmed.storedAt != entry.storedAt else { return nil }
            await coordinator.ignoringCacheErrors(in: .store, plan) {
                try await coordinator.stores.store(plan.storeEpoch) {
                    try await components.dataCache?.store(confirmed, for: stage.key)
                }
            }
            return nil
        case .fetched(let original): return original
        case .outdated:
            await remove(stage)
            return nil
        }
    }

    /// Asks the server whether the original of a finished image is unchanged.
    func confirm(
        _ entry: DataEntry, _ stage: ProcessedCacheStage, _ fields: HTTPFields,
        standsIn: (@Sendable (ImageError) -> Bool)? = nil
    ) async throws -> ProcessedCacheStage.Revalidation {
        guard let rules = stage.rules, let url = plan.request.source.url else { return .outdated }
        let limits = coordinator.beginFetch(job)
        defer { coordinator.endFetch(job) }
        var request = plan.dataRequest(url, coordinator.rank(of: job), components, limits)
        request.headerFields = fields
        (request.deadline, request.standsIn) = (coordinator.deadline(of: job), standsIn)
        do {
            return try await stage.revalidate(
                entry, request, rules, BodyReader(coordinator, job, maximumBytes: limits.maximumBytes))
        } catch let error as ImageError where error.status == 410 {
            // The server says that the image is gone for good: it must not be shown again when the server fails.
            await remove(stage)
            throw error
        }
    }

    /// Removes a finished image.
    func remove(_ stage: ProcessedCacheStage) async {
        await coordinator.ignoringCacheErrors(in: .processedCache, plan) {
            try await components.dataCache?.removeEntry(for: stage.key)
        }
    }
}
