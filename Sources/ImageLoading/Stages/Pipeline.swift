internal import ImageCore

/// The life of a request, from top to bottom.
///
/// | stage | what happens | where |
/// |---|---|---|
/// | request | the three layers of options are merged | ``LoadCoordinator/plan(_:goal:priority:continuing:)`` |
/// | memory cache | a hit ends the load, on the caller's thread | ``LoadCoordinator/begin(_:_:readsMemory:)`` |
/// | processed cache | the finished image is read from the data cache | ``processedImage(_:otherwise:)`` |
/// | original cache | the bytes are read from the data cache | ``original(_:)`` |
/// | network | the source is fetched | ``fetchedOriginal(_:_:)`` |
/// | decode | on a worker thread | ``decodedImage(_:_:)`` |
/// | process | on a worker thread, one run of processors at a time | ``processed(_:_:_:)`` |
/// | store | the image in memory; the bytes, or the image encoded, on disk | ``finished(_:_:)``, ``store(_:for:)`` |
/// | deliver | every subscriber gets the result | ``LoadCoordinator`` |
///
/// Each function below makes the result of one kind of shared work, and returns what the work does next: a stage that runs, the
/// result of other work that it needs, or its own result. The coordinator makes each work run once for all that want its result.
struct Pipeline: Sendable {
    let coordinator: LoadCoordinator
    /// The bytes, where the revalidation of a finished image has fetched them.
    var fetched: Original?

    var parts: LoaderParts { coordinator.parts }

    /// Begins the work that a load waits for.
    func begin(_ work: SharedWork) throws -> Next {
        switch work.plan.goal {
        case .image: finishedImage(work)
        case .bytes: try original(work)
        case .info, .prefetchToDisk: header(work)
        }
    }

    // MARK: Image

    private func finishedImage(_ work: SharedWork) -> Next {
        let plan = work.plan
        let steps = plan.pixelSteps { coordinator.contains(plan.imageKey(after: $0, parts)) }
        guard work.key.kind == .processedImage else { return image(steps[...], work) }
        return processedImage(work) { pipeline in
            let need = Next.Need(
                key: plan.imageKey(after: plan.variants.count - 1, parts), scale: steps.isEmpty ? plan.scale : nil,
                begin: { pipeline.image(steps[...], $0) }, then: { .finished($0) })
            return .needs(need)
        }
    }

    /// The image after the decode and the steps.
    private func image(_ steps: ArraySlice<PixelStep>, _ work: SharedWork) -> Next {
        // The second lookup in the memory cache. Other work may have made this image after the load missed it and before this
        // work could be joined. It stored the image before it could no longer be joined, so that this lookup finds it.
        if let image = parts.peekImage(work.key.image, work.plan) {
            return .finished(.image(StagedImage(image, tier: .memory, metrics: LoadMetrics())))
        }
        guard let step = steps.last else { return decodedImage(nil, work) }
        let (before, processor) = (steps.dropLast(), step.processor)
        if before.isEmpty, runsWithDecode(step, work.plan) { return decodedImage(processor, work) }
        work.setOnPreview { [weak work, coordinator] preview in
            guard let work else { return }
            let stage = ProcessStage(processor, of: work.plan, coordinator.parts)
            if let preview = stage.preview(of: preview, work.token) { coordinator.show(preview, of: work) }
        }
        // [a, b] shares the work of [a].
        return .needs(
            Next.Need(
                key: work.plan.imageKey(after: before.last?.variant ?? 0, parts), scale: before.isEmpty ? work.plan.scale : nil,
                begin: { image(before, $0) },
                then: { result in
                    work.endPreviews()
                    return processed(try result.image(), processor, work)
                }))
    }

    /// Whether the first step runs in one with the decode: it needs less than the full image, and the memory cache does not have
    /// that.
    private func runsWithDecode(_ step: PixelStep, _ plan: LoadPlan) -> Bool {
        plan.options.targetSize == nil && step.reducesDecode && parts.peekImage(plan.decodedKey, plan) == nil
    }

    func processed(_ before: StagedImage, _ processor: any Processing, _ work: SharedWork) -> Next {
        .worker(.process) {
            let image = try ProcessStage(processor, of: work.plan, parts).process(before.image, work.token)
            return { times in
                var metrics = before.metrics
                metrics.process += times.working
                metrics.waiting += times.waiting
                return finished(StagedImage(image, tier: before.tier, metrics: metrics, source: before.source), work)
            }
        }
    }

    // MARK: Header

    /// Reads the header. A header that a decoder accepts is proof enough to store the bytes.
    private func header(_ work: SharedWork) -> Next {
        needsOriginal(work) { result in
            let original = try result.original()
            return .worker(.decode) {
                let info = try HeaderStage(parts: parts, plan: work.plan).info(of: original)
                return { _ in
                    if original.isWhole { store(original, for: work) }
                    return .finished(.header(OriginalHeader(info, of: original)))
                }
            }
        }
    }

    /// The bytes that the work needs, shared with other work.
    func needsOriginal(_ work: SharedWork, then: @escaping @Sendable (WorkResult) throws -> Next) -> Next {
        .needs(Next.Need(key: work.plan.originalKey(parts), begin: { try original($0) }, then: then))
    }
}

extension ImageError {
    /// A stage began without the result that it needs: a defect of the engine.
    static let noInput = ImageError(.plugInFailed, message: "The engine started a step without its input; please report this.")
}
