internal import ImageCore

/// Runs one processor on the image before it, on a worker thread.
struct ProcessStage: Sendable {
    let pipeline: Pipeline
    let plan: LoadPlan
    let step: PixelStep?

    func run(_ node: NodeID, _ input: WorkResult?, _ context: StageContext, _ coordinator: any Pipeline.Reporting) {
        let token = context.token
        guard case .image(let before) = input, let processor = step?.processor else {
            return coordinator.fail(node, ImageError.noInput, stage: .process, plan, token)
        }
        pipeline.workers.submit { process(node, before, with: processor, token, coordinator) }
    }

    /// Does the work of ``run(_:_:_:_:)`` on the worker thread that calls it.
    func process(
        _ node: NodeID, _ before: StagedImage, with processor: any Processing, _ token: CancellationToken,
        _ coordinator: any Pipeline.Reporting
    ) {
        guard !token.isCancelled else { return coordinator.finish(node, .failure(.cancelled), retention: .never) }
        let timer = StageTimer(.process, plan, coordinator)
        do {
            let image = try processor.process(before.image, context: ProcessingContext(cancellation: token))
            var metrics = before.metrics
            metrics.process += timer.end()
            let staged = StagedImage(image, tier: before.tier, metrics: metrics)
            coordinator.finish(node, .success(.image(staged)), retention: image.isPartial ? .never : .now)
        } catch {
            timer.end()
            coordinator.fail(node, error, stage: .process, plan, token)
        }
    }
}
