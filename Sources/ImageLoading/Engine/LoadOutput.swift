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
        get {
            switch self {
            case .image(let image): image.metrics
            case .bytes(let original), .info(_, let original): original.metrics
            }
        }
        set {
            switch self {
            case .image(var image):
                image.metrics = newValue
                self = .image(image)
            case .bytes(var original):
                original.metrics = newValue
                self = .bytes(original)
            case .info(let info, var original):
                original.metrics = newValue
                self = .info(info, original)
            }
        }
    }

    /// The output for a job or a load that found it begun by another.
    func coalesced() -> LoadOutput {
        var output = self
        output.metrics.isCoalesced = true
        return output
    }
}
