internal import ImageCore

/// Reads the header on a worker thread. A header that a decoder accepts is proof enough to keep the bytes; no pixel is decoded.
struct HeaderStage: Sendable {
    let pipeline: Pipeline
    let plan: LoadPlan

    func run(_ node: NodeID, _ input: WorkResult?, _ context: StageContext, _ coordinator: any Pipeline.Reporting) {
        let token = context.token
        guard case .original(let original) = input else {
            return coordinator.fail(node, ImageError.noInput, stage: .decode, plan, token)
        }
        pipeline.workers.submit {
            do {
                try token.check()
                let (decoder, limits) = (pipeline.configuration.decoder, pipeline.limits(plan))
                let early = original.isWhole ? nil : try decoder.info(ofHead: original.entry.data, limits: limits)
                let info = try early ?? decoder.info(of: original.entry.data, limits: limits)
                coordinator.finish(node, .success(.header(OriginalHeader(info, of: original))), retention: .never)
            } catch {
                coordinator.fail(node, error, stage: .decode, plan, token)
            }
        }
    }
}
