internal import ImageCore

/// Looks whether a decoder knows the bytes, on a worker thread: proof enough to keep them, and no pixel is decoded.
struct HeaderStage: Sendable {
    let pipeline: Pipeline
    let plan: LoadPlan

    func run(_ node: NodeID, _ input: WorkResult?, _ start: StepStart, _ coordinator: any Pipeline.Reporting) {
        let token = start.token
        guard case .original(let original) = input else {
            return coordinator.fail(node, ImageError.noInput, stage: .decode, plan, token, on: .elsewhere)
        }
        pipeline.workers.submit(from: start.place) {
            do {
                try token.check()
                let (decoder, limits) = (pipeline.configuration.decoder, pipeline.limits(plan))
                let early = original.isWhole ? nil : try decoder.info(ofHead: original.entry.data, limits: limits)
                let info = try early ?? decoder.info(of: original.entry.data, limits: limits)
                coordinator.finish(node, .success(.header(OriginalHeader(info, of: original))), retention: .never, on: .worker)
            } catch {
                coordinator.fail(node, error, stage: .decode, plan, token, on: .worker)
            }
        }
    }
}
