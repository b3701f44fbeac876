internal import ImageCore

/// What a job makes.
enum LoadOutput: Sendable {
    case image(StagedImage)
    case bytes(Original)
    /// What the header says, and the bytes that have it.
    case info(ImageInfo, Original)

    /// Where the output came from.
    var tier: CacheTier {
        switch self {
        case .image(let image): image.tier
        case .bytes(let original), .info(_, let original): original.tier
        }
    }

    /// The times and counts of the jobs that made the output.
    var metrics: LoadMetrics {
        switch self {
        case .image(let image): image.metrics
        case .bytes(let original), .info(_, let original): original.metrics
        }
    }

    /// The output for a job or a load that found it begun by another.
    func coalesced() -> LoadOutput {
        var metrics = metrics
        metrics.isCoalesced = true
        return switch self {
        case .image(let image): .image(image.with(metrics))
        case .bytes(let original): .bytes(original.with(metrics))
        case .info(let info, let original): .info(info, original.with(metrics))
        }
    }
}
