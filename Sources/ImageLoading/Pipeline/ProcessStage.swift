internal import ImageCore

/// Runs one processor on the picture before it, on a worker thread.
struct ProcessStage: Sendable {
    let pipeline: Pipeline
    let plan: LoadPlan
    let index: Int

    func run(_ node: NodeID, _ input: WorkResult?, _ token: CancellationToken, _ coordinator: any Pipeline.Reporting) {
        guard case .image(let before) = input else {
            return coordinator.fail(node, ImageError.noInput, stage: .process, plan, token)
        }
        let processor = plan.options.processors[index]
        pipeline.workers.submit {
            do {
                try token.check()
                let (image, time) = try coordinator.timed(.process, plan) {
                    try processor.process(before.image, context: ProcessingContext(cancellation: token))
                }
                var metrics = before.metrics
                metrics.process += time
                let staged = StagedImage(image, tier: before.tier, metrics: metrics)
                coordinator.finish(node, .success(.image(staged)), retention: image.isPartial ? .never : .now)
            } catch {
                coordinator.fail(node, error, stage: .process, plan, token)
            }
        }
    }
}
