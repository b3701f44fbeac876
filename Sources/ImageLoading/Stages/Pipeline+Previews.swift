internal import ImageCore

/// Previews of an image while its bytes arrive.
extension Pipeline {
    /// Makes previews of the work from the bytes that arrive, where loads want them.
    func makePreviews(_ processor: (any Processing)?, _ work: SharedWork) {
        guard let decoder = parts.incrementalDecoder else { return }
        work.setMakePreviews { [weak work, parts, coordinator] in
            work.map { work in
                PreviewSession(
                    work, decoder: decoder,
                    options: DecodeStage(parts: parts, plan: work.plan, processor: processor).options, processor: processor,
                    coordinator)
            }
        }
    }

    /// Processes the previews of the image that the work needs.
    func processPreviews(_ processor: any Processing, _ work: SharedWork) {
        work.setOnPreview { [weak work, coordinator] preview in
            guard let work else { return }
            let stage = ProcessStage(processor, of: work.plan, coordinator.parts)
            if let preview = stage.preview(of: preview, work.token) { coordinator.show(preview, of: work) }
        }
    }
}
