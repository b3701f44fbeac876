internal import ImageCore

/// What shared work results in.
enum WorkResult: Sendable {
    case original(Original)
    case image(StagedImage)
    case header(OriginalHeader)

    func image() throws(ImageError) -> StagedImage {
        guard case .image(let image) = self else { throw .noInput }
        return image
    }

    func original() throws(ImageError) -> Original {
        guard case .original(let original) = self else { throw .noInput }
        return original
    }
}

extension WorkResult {
    /// The response for one load that waited for the result.
    func response(isCoalesced: Bool, after total: Duration) -> Result<ImageResponse, LoadFailure> {
        let original: Original
        switch self {
        case .image(let staged):
            return .success(
                ImageResponse(
                    image: staged.image, tier: staged.tier, metrics: staged.metrics.completed(isCoalesced, after: total)))
        case .header(let header): original = header.original
        case .original(let whole): original = whole
        }
        // Loads of bytes return a placeholder image that is never read.
        guard let none = DecodedImage.none else { return .failure(.failed(.noInput)) }
        let metrics = original.metrics.completed(isCoalesced, after: total)
        return .success(ImageResponse(image: none, tier: original.tier, metrics: metrics))
    }
}

extension LoadMetrics {
    /// The metrics of shared work as those of one load that waited for it.
    fileprivate func completed(_ isCoalesced: Bool, after total: Duration) -> LoadMetrics {
        var metrics = self
        metrics.isCoalesced = metrics.isCoalesced || isCoalesced
        metrics.total = total
        return metrics
    }
}

extension WorkResult {
    /// The result for work that found it begun by other work.
    func coalesced() -> WorkResult {
        switch self {
        case .image(let image): .image(image.coalesced())
        case .original(let original): .original(original.coalesced())
        case .header: self
        }
    }
}
