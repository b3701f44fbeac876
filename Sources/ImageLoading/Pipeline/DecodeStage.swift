internal import ImageCore

/// Turns the bytes into pixels: on a worker thread, or where they came from when that takes less than the way there.
struct DecodeStage: Sendable {
    let pipeline: Pipeline
    let plan: LoadPlan
    /// Whose processor is run on the picture at once, if it has one; it may need less than the full picture.
    let step: PixelStep?

    func run(_ node: NodeID, _ input: WorkResult?, _ start: StepStart, _ coordinator: any Pipeline.Reporting) {
        let (original, larger): (Original, DecodedImage?)
        switch input {
        case .original(let whole): (original, larger) = (whole, nil)
        case .image(let staged):
            // Of the same bytes, at a larger size that somebody else wanted at the same time.
            guard let whole = staged.original else { fallthrough }
            (original, larger) = (whole, staged.image)
        default: return coordinator.fail(node, ImageError.noInput, stage: .decode, plan, start.token, on: .elsewhere)
        }
        if start.place == .fetched, larger == nil, isInline(original.entry.data) {
            return work(node, original, nil, start, coordinator, on: .elsewhere)
        }
        pipeline.workers.submit(from: start.place) { work(node, original, larger, start, coordinator, on: .worker) }
    }

    /// Whether the decode is worth no other thread: so its decoder says, and nothing else is run with it.
    private func isInline(_ data: Data) -> Bool {
        step?.processor == nil && plan.previews.withLock { $0 == nil }
            && pipeline.configuration.decoder.decodesInline(data, options: options)
    }

    /// - Parameter place: where this runs, for the step that comes after it.
    private func work(
        _ node: NodeID, _ original: Original, _ larger: DecodedImage?, _ start: StepStart,
        _ coordinator: any Pipeline.Reporting, on place: Place
    ) {
        let token = start.token
        guard !token.isCancelled else {
            return coordinator.finish(node, .failure(.cancelled), retention: .never, on: place)
        }
        guard larger != nil || pipeline.admits(original.entry.data, node, pipeline.limits(plan), start, coordinator) else {
            return
        }
        let begun = plan.previews.withLock { $0.take() }?.claim()
        let timer = StageTimer(.decode, plan, coordinator)
        do {
            let (image, next) = try decode(original.entry.data, from: larger, begun, token)
            var metrics = original.metrics
            metrics.decode = timer.end()
            let staged = StagedImage(
                image, tier: original.tier, metrics: metrics, original: plan.scale == nil ? nil : original)
            if let next {
                let stage = ProcessStage(pipeline: pipeline, plan: plan, step: step)
                return stage.work(node, on: staged, by: next, token, coordinator)
            }
            // A partial picture is shown to whom it was made for; nobody later gets it from a cache as if it were whole.
            coordinator.finish(node, .success(.image(staged)), retention: image.isPartial ? .never : .now, on: place)
        } catch {
            timer.end()
            failed(node, error, original, isReduced: larger != nil, token, coordinator, on: place)
        }
    }

    private func failed(
        _ node: NodeID, _ error: any Error, _ original: Original, isReduced: Bool, _ token: CancellationToken,
        _ coordinator: any Pipeline.Reporting, on place: Place
    ) {
        if let remainder = token.takeRemainder() { coordinator.hold(remainder) }
        // Bytes from the cache that do not decode: the entry goes, and the source is asked once more.
        if original.tier == .disk, !isReduced, !token.isCancelled, !plan.options.cachePolicy.isOnlyIfCached {
            let failure = LoadFailure.failed(.wrapping(error, stage: .decode, source: plan.request.description))
            forget(coordinator) { coordinator.retryUpstream(of: node, otherwise: failure) }
        } else if !token.isCancelled, isStoredAlready {
            forget(coordinator) { coordinator.fail(node, error, stage: .decode, plan, token, on: .elsewhere) }
        } else {
            coordinator.fail(node, error, stage: .decode, plan, token, on: place)
        }
    }

    /// The picture, and what is still to be run on it.
    private func decode(
        _ data: Data, from larger: DecodedImage?, _ begun: PreviewSession.Begun?, _ token: CancellationToken
    ) throws -> (DecodedImage, (any Processing)?) {
        guard !data.isEmpty else {
            throw ImageError(.emptyFile, message: "\(plan.request) is empty: there are no bytes to decode.")
        }
        if let begun {
            // Most of it is decoded already, for the previews.
            token.onCancel { begun.token.cancel() }
            try begun.decoder.append(data.dropFirst(begun.consumed))
            return (try begun.decoder.finish(), begun.processor)
        }
        var options = options
        options.cancellation = token
        let decoder = pipeline.configuration.decoder
        if let larger, let image = try decoder.decode(data, from: larger, options: options) { return (image, nil) }
        guard let processor = step?.processor else { return (try decoder.decode(data, options: options), nil) }
        let (reduced, next) = decoder.reducing(data, options: options, for: processor)
        return (try decoder.decode(data, options: reduced), next)
    }

    /// What the load asks of the decoder; how it is cancelled is left open.
    var options: DecodeOptions {
        var options = DecodeOptions()
        options.targetSize = plan.options.targetSize
        options.contentMode = plan.options.contentMode
        options.appliesOrientation = plan.options.appliesOrientation
        options.allowsPartial = plan.options.allowsPartial
        options.limits = pipeline.limits(plan)
        return options
    }

    /// Whether what was fetched is in the response cache before it was shown to be a picture.
    private var isStoredAlready: Bool {
        FetchStage(pipeline: pipeline, plan: plan, rank: plan.subscriberOptions.rankClass).responseCache != nil
    }

    /// Takes the bytes out of the cache that has them, then goes on.
    private func forget(_ coordinator: any Pipeline.Reporting, then next: @escaping @Sendable () -> Void) {
        let responses = FetchStage(pipeline: pipeline, plan: plan, rank: plan.subscriberOptions.rankClass).responseCache
        let cache = pipeline.configuration.dataCache
        Task {
            do {
                if let (responses, request) = responses {
                    try await responses.removeResponse(for: request)
                } else {
                    try await cache?.removeEntry(for: plan.dataKey)
                }
            } catch {
                coordinator.observe(.cacheFailed(.wrapping(error, stage: .originalCache, source: plan.request.description)), plan)
            }
            next()
        }
    }
}

extension ImageError {
    /// A step began without the result that it needs: the graph broke its promise.
    static let noInput = ImageError(.plugInFailed, message: "The engine started a step without its input; please report this.")
}
