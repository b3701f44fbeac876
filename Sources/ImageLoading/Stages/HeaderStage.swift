internal import ImageCore

/// Reads what the header of an image says; no pixel is decoded.
struct HeaderStage: Sendable {
    let parts: LoaderParts
    let plan: LoadPlan

    func info(of original: Original) throws -> ImageInfo {
        let limits = parts.limits(plan)
        let early = original.isWhole ? nil : try parts.decoder.info(ofPrefix: original.entry.data, limits: limits)
        return try early ?? parts.decoder.info(of: original.entry.data, limits: limits)
    }
}
