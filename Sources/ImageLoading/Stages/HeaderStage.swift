internal import ImageCore

/// Reads what the header of an image says; no pixel is decoded.
struct HeaderStage: Sendable {
    let components: Components
    let plan: LoadPlan

    func info(of original: Original) throws -> ImageInfo {
        let limits = components.limits(plan)
        let early = original.isWhole ? nil : try components.decoder.info(ofPrefix: original.entry.data, limits: limits)
        return try early ?? components.decoder.info(of: original.entry.data, limits: limits)
    }
}
