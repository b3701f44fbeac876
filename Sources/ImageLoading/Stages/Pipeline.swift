internal import ImageCore

/// The life of a request, from top to bottom.
///
/// | stage | what happens | where |
/// |---|---|---|
/// | request | the three layers of options are merged | ``LoadCoordinator/plan(_:goal:priority:)`` |
/// | memory cache | a hit ends the load, on the caller's thread | ``LoadCoordinator/begin(_:_:readsMemory:)`` |
/// | processed cache | the finished image is read from the data cache | ``processedImage(_:)`` |
/// | original cache | the bytes are read from the data cache | ``cachedOriginal(_:)`` |
/// | network | the source is fetched | ``fetchedOriginal(_:_:)`` |
/// | decode | on a worker thread | ``decodedImage(_:_:)`` |
/// | process | on a worker thread, one run of processors at a time | ``image(_:_:)`` |
/// | store | the image in memory; the bytes, or the image encoded, on disk | ``store(_:_:)``, ``store(_:for:)`` |
/// | deliver | every subscriber gets the result | ``LoadCoordinator`` |
///
/// Each function below makes the result of one kind of shared work. `shared(_:for:)` runs it once for all that want the
/// result, in the task of the first; the others wait for it.
struct Pipeline: Sendable {
    let parts: LoaderParts
    let coordinator: LoadCoordinator

    /// Makes the result that a load waits for.
    func result(_ work: SharedWork) async throws -> WorkResult {
        switch work.plan.goal {
        case .image: .image(try await finishedImage(work))
        case .bytes: .original(try await original(work))
        case .info, .prefetchToDisk: .header(try await header(work))
        }
    }

    // MARK: Image

    private func finishedImage(_ work: SharedWork) async throws -> StagedImage {
        let plan = work.plan
        let steps = plan.pixelSteps { coordinator.contains(plan.imageKey(after: $0)) }
        guard work.key.kind == .processedImage else { return try await image(steps[...], work) }
        if let image = try await processedImage(work) { return image }
        return try await shared(plan.imageKey(after: plan.variants.count - 1), for: work) { work in
            .image(try await image(steps[...], work))
        }.image()
    }

    /// The image after the last of the steps.
    private func image(_ steps: ArraySlice<PixelStep>, _ work: SharedWork) async throws -> StagedImage {
        // The second lookup in the memory cache. Other work may have made this image after the load missed it and before this
        // work could be joined. It stored the image before it could no longer be joined, so that this lookup finds it.
        if let image = parts.peekImage(work.key.image, work.plan) {
            return StagedImage(image, tier: .memory, metrics: LoadMetrics())
        }
        guard let step = steps.last else { throw ImageError.noInput }
        let image: StagedImage
        if isDecode(step, after: steps.dropLast(), work.plan) {
            image = try await decodedImage(step.processor, work)
        } else {
            let before = try await self.before(steps.dropLast(), step, work)
            image = try await processed(before, step.processor, work)
        }
        store(image, work)
        return image
    }

    /// Whether a step runs in one with the decode: the decode itself, and a processor that needs less than the full image where
    /// the memory cache does not have that.
    private func isDecode(_ step: PixelStep, after before: ArraySlice<PixelStep>, _ plan: LoadPlan) -> Bool {
        guard step.processor != nil else { return true }
        return before.count == 1 && plan.options.targetSize == nil && step.reducesDecode
            && parts.peekImage(plan.imageKey(after: 0).image, plan) == nil
    }

    /// The image before a processor: [a, b] shares the work of [a].
    private func before(_ steps: ArraySlice<PixelStep>, _ step: PixelStep, _ work: SharedWork) async throws -> StagedImage {
        guard let last = steps.last, let processor = step.processor else { throw ImageError.noInput }
        work.setOnPreview { [weak work, coordinator] preview in
            guard let work, let preview = ProcessStage(processor: processor).preview(of: preview, work.token) else { return }
            coordinator.show(preview, of: work)
        }
        defer { work.endPreviews() }
        return try await shared(work.plan.imageKey(after: last.variant), for: work) { work in
            .image(try await image(steps, work))
        }.image()
    }

    // Not inlined: a task that waits for its turn would hold the frames of the stages that come later.
    @inline(never)
    func processed(_ before: StagedImage, _ processor: (any Processing)?, _ work: SharedWork) async throws -> StagedImage {
        guard let processor else { return before }
        let (image, times) = try await StageRunner(work: work, parts: parts, coordinator: coordinator).runOnWorker(.process) {
            try ProcessStage(processor: processor).process(before.image, work.token)
        }
        var metrics = before.metrics
        metrics.process += times.working
        metrics.waiting += times.waiting
        return StagedImage(image, tier: before.tier, metrics: metrics)
    }
}
