/// What an observer sees of a load. The stages of shared work are reported for the load that began the work.
public enum LoadObservation: Sendable, CustomStringConvertible {
    /// A load began.
    case started
    /// The load shares work that another load began. Reported again if the load continues with other work, such as that
    /// of a fallback source.
    case joined(LoadID)
    /// A stage began to wait for a slot or for memory.
    case waitBegan(LoadStage)
    /// A stage ended its wait, which took this time.
    case waitEnded(LoadStage, Duration)
    /// A stage began its work.
    case stageBegan(LoadStage)
    /// More of the body arrived. Not reported for a body of one chunk.
    case progress(LoadProgress)
    /// A stage ended, after this time. Storing on disk continues after the load, so its end may be reported after the
    /// load's.
    case stageEnded(LoadStage, Duration)
    /// The memory cache or the data cache was looked up.
    case cacheLookup(CacheTier, isHit: Bool)
    /// A data cache failed to read or to store; the load continues without it.
    indirect case cacheFailed(ImageError)
    /// The load ended. Cancellation is not a failure.
    indirect case finished(Result<LoadSummary, LoadFailure>)

    /// The observation on one line and without credentials, such as `decode ended after 8.5 ms` or `memory cache miss`.
    public var description: String {
        switch self {
        case .started: "started"
        case .joined(let load): "joined load \(load)"
        case .waitBegan(let stage): "\(stage.rawValue) wait began"
        case .waitEnded(let stage, let time): "\(stage.rawValue) wait ended after \(time.inSecondsOrMilliseconds)"
        case .stageBegan(let stage): "\(stage.rawValue) began"
        case .progress(let progress): "progress: \(progress)"
        case .stageEnded(let stage, let time): "\(stage.rawValue) ended after \(time.inSecondsOrMilliseconds)"
        case .cacheLookup(let tier, let isHit): "\(tier.rawValue) cache \(isHit ? "hit" : "miss")"
        case .cacheFailed(let error): "cache failed: \(error.debugDescription)"
        case .finished(let result): LoadEvent.describe(result)
        }
    }
}
