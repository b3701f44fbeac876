internal import ImageCore

/// Turns the bytes into pixels, on a worker thread.
struct DecodeStage: Sendable {
    let pipeline: Pipeline
    let plan: LoadPlan
    /// Its processor runs on the image at once, if it has one; it may need less than the full image.
    let step: PixelStep?

    func run(_ node: NodeID, _ input: WorkResult?, _ context: StageContext, _ coordinator: any Pipeline.Reporting) {
        let (original, larger): (Original, DecodedImage?)
        switch input {
        case .original(let whole): (original, larger) = (whole, nil)
        case .image(let staged):
            // Decoded from the same bytes, at a larger size that another load wants at the same time.
            guard let whole = staged.original else { fallthrough }
            (original, larger) = (whole, staged.image)
        default: return coordinator.fail(node, ImageError.noInput, stage: .decode, plan, context.token)
        }
        pipeline.workers.submit { decode(node, original, larger, context, coordinator) }
    }

    private func decode(
        _ node: NodeID, _ original: Original, _ larger: DecodedImage?, _ context: StageContext,
        _ coordinator: any Pipeline.Reporting
    ) {
        let token = context.token
        guard !token.isCancelled else { return coordinator.finish(node, .failure(.cancelled), retention: .never) }
        guard larger != nil || pipeline.admits(original.entry.data, node, pipeline.limits(plan), context, coordinator) else {
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
                return stage.process(node, staged, with: next, token, coordinator)
            }
            // A partial image goes to the loads that allow one, but into no cache, where it would count as whole.
            coordinator.finish(node, .success(.image(staged)), retention: image.isPartial ? .never : .now)
        } catch {
            timer.end()
            failed(node, error, original, isReduced: larger != nil, token, coordinator)
        }
    }

    private func failed(
        _ node: NodeID, _ error: any Error, _ original: Original, isReduced: Bool, _ token: CancellationToken,
        _ coordinator: any Pipeline.Reporting
    ) {
        if let remainder = token.takeRemainder() { coordinator.hold(remainder) }
        // Cached bytes that do not decode: remove the entry and fetch once more.
        if original.tier == .disk, !isReduced, !token.isCancelled, !plan.options.cachePolicy.isOnlyIfCached {
            let failure = LoadFailure.failed(.wrapping(error, stage: .decode, source: plan.request.description))
            forget(coordinator) { coordinator.retryUpstream(of: node, otherwise: failure) }
        } else if !token.isCancelled, isStoredAlready {
            forget(coordinator) { coordinator.fail(node, error, stage: .decode, plan, token) }
        } else {
            coordinator.fail(node, error, stage: .decode, plan, token)
        }
    }

    /// The image, and the processor that must still run on it.
    private func decode(
        _ data: Data, from larger: DecodedImage?, _ begun: PreviewSession.Begun?, _ token: CancellationToken
    ) throws -> (DecodedImage, (any Processing)?) {
        guard !data.isEmpty else {
            throw ImageError(.emptyFile, message: "\(plan.request) is empty: there are no bytes to decode.")
        }
        if let begun {
            // Previews have decoded most of it already.
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

    /// The options for the decoder, without a cancellation token.
    var options: DecodeOptions {
        var options = DecodeOptions()
        options.targetSize = plan.options.targetSize
        options.contentMode = plan.options.contentMode
        options.appliesOrientation = plan.options.appliesOrientation
        options.allowsPartial = plan.options.allowsPartial
        options.limits = pipeline.limits(plan)
        return options
    }

    /// Whether the response cache keeps fetched bytes before a decode has proved them.
    private var isStoredAlready: Bool {
        FetchStage(pipeline: pipeline, plan: plan, rank: plan.subscriberOptions.rankClass).responseCache != nil
    }

    /// Removes the bytes from the cache that has them, then calls `next`.
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
    /// A step began without the result that it needs: a defect of the graph.
    static let noInput = ImageError(.plugInFailed, message: "The engine started a step without its input; please report this.")
}
