internal import ImageCore

/// From the original bytes to a decoded image, or to a header.
extension Pipeline {
    /// Decodes the original, no larger than the processor needs, and runs the processor.
    func decodedImage(_ processor: (any Processing)?, _ work: SharedWork) async throws -> StagedImage {
        makePreviews(processor, work)
        defer { work.endPreviews() }
        switch try await shared(work.plan.originalKey(parts), for: work, { .original(try await original($0)) }) {
        case .original(let original):
            do {
                return try await decoded(.init(original: original), processor, work)
            } catch let error as ImageError {
                return try await decodedAgain(original, after: error, processor, work)
            }
        case .image(let larger):
            // Another load wants a larger size of the image at the same time, and this one is made from that.
            guard let original = larger.original else { throw ImageError.noInput }
            return try await decoded(.init(original: original, larger: larger.image), processor, work)
        case .header: throw ImageError.noInput
        }
    }

    /// Removes bytes that do not decode from the cache that has them; bytes that came from a cache are fetched once more.
    @inline(never)
    private func decodedAgain(
        _ original: Original, after error: ImageError, _ processor: (any Processing)?, _ work: SharedWork
    ) async throws -> StagedImage {
        let isCached = original.tier == .disk
        let keepsResponses = FetchStage(parts: parts, plan: work.plan).responseCache != nil
        if isCached || keepsResponses, error.stage == .decode, original.claimRemoval() { await removeOriginal(work) }
        guard isCached, error.stage == .decode, !work.plan.options.cachePolicy.isOnlyIfCached else { throw error }
        let key = WorkKey(kind: .uncached, image: ImageKey(resource: work.plan.resource))
        let fetched = try await shared(key, for: work) { .original(try await fetchedOriginal($0, nil)) }.original()
        return try await decoded(.init(original: fetched), processor, work)
    }

    // Not inlined: a task that waits for its turn would hold the frames of the stages that come later.
    @inline(never)
    private func decoded(
        _ input: DecodeStage.Input, _ processor: (any Processing)?, _ work: SharedWork
    ) async throws -> StagedImage {
        let stage = DecodeStage(parts: parts, plan: work.plan, processor: processor)
        let (original, isLarger) = (input.original, input.larger != nil)
        let begun = work.claimPreviews()
        coordinator.releasePreviewMemory(of: work)
        let runner = StageRunner(work: work, parts: parts, coordinator: coordinator)
        let ((image, next), times) = try await runner.runOnWorker(.decode) { [parts] in
            isLarger ? 0 : parts.decodingBytes(of: original.entry.data, parts.limits(work.plan))
        } _: {
            var input = input
            input.begun = begun
            return try stage.decode(input, work.token)
        }
        // The bytes are an image: no error page gets into the cache.
        store(original, for: work)
        var metrics = original.metrics
        metrics.decode = times.working
        metrics.waiting += times.waiting
        let decoded = StagedImage(
            image, tier: original.tier, metrics: metrics, original: work.plan.scale == nil ? nil : original)
        return next == nil ? decoded : try await processed(decoded, next, work)
    }

    /// Reads the header. A header that a decoder accepts is proof enough to store the bytes.
    func header(_ work: SharedWork) async throws -> OriginalHeader {
        let original = try await shared(work.plan.originalKey(parts), for: work) { work in
            .original(try await self.original(work))
        }.original()
        let runner = StageRunner(work: work, parts: parts, coordinator: coordinator)
        let (info, _) = try await runner.runOnWorker(.decode) {
            try HeaderStage(parts: parts, plan: work.plan).info(of: original)
        }
        if original.isWhole { store(original, for: work) }
        return OriginalHeader(info, of: original)
    }

    /// Makes previews of the work from the bytes that arrive, where loads want them.
    private func makePreviews(_ processor: (any Processing)?, _ work: SharedWork) {
        guard let decoder = parts.incrementalDecoder else { return }
        work.setMakePreviews { [weak work, parts, coordinator] in
            work.map { work in
                PreviewSession(
                    work, decoder: decoder,
                    options: DecodeStage(parts: parts, plan: work.plan, processor: processor).options, processor: processor,
                    clock: parts.clock, workers: parts.previewWorkers, interval: parts.configuration.previewInterval,
                    coordinator: coordinator)
            }
        }
    }
}

extension ImageError {
    /// A stage began without the result that it needs: a defect of the engine.
    static let noInput = ImageError(.plugInFailed, message: "The engine started a step without its input; please report this.")
}
