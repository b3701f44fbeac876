internal import ImageCore

/// Runs one processor on the picture before it, on a worker thread.
struct ProcessStage: Sendable {
    let pipeline: Pipeline
    let plan: LoadPlan
    let step: PixelStep?

    func run(_ node: NodeID, _ input: WorkResult?, _ start: StepStart, _ coordinator: any Pipeline.Reporting) {
        let token = start.token
        guard case .image(let before) = input, let processor = step?.processor else {
            return coordinator.fail(node, ImageError.noInput, stage: .process, plan, token, on: .elsewhere)
        }
        pipeline.workers.submit(from: start.place) { work(node, on: before, by: processor, token, coordinator) }
    }

    /// The same on the worker thread that this is called on.
    func work(
        _ node: NodeID, on before: StagedImage, by processor: any Processing, _ token: CancellationToken,
        _ coordinator: any Pipeline.Reporting
    ) {
        guard !token.isCancelled else {
            return coordinator.finish(node, .failure(.cancelled), retention: .never, on: .worker)
        }
        let timer = StageTimer(.process, plan, coordinator)
        do {
            let image = try processor.process(before.image, context: ProcessingContext(cancellation: token))
            var metrics = before.metrics
            metrics.process += timer.end()
            let staged = StagedImage(image, tier: before.tier, metrics: metrics)
            coordinator.finish(node, .success(.image(staged)), retention: image.isPartial ? .never : .now, on: .worker)
        } catch {
            timer.end()
            coordinator.fail(node, error, stage: .process, plan, token, on: .worker)
        }
    }
}
