/// What happens to one load, in order. The last event is exactly one `finished`.
public enum LoadEvent: Sendable {
    /// Bytes arrived.
    case progress(LoadProgress)
    /// A preview of the picture.
    case preview(DecodedImage)
    /// The end.
    case finished(Result<ImageResponse, LoadFailure>)
}

/// What an observer is told of every load of a loader. Stages are told of the load that began the shared work.
public enum LoadObservation: Sendable {
    /// A load was asked for.
    case started
    /// The load shares work that another one has begun, which is told of its stages. May be told again where a load has to
    /// begin another piece of work: for a further source, or where the finished picture was not on disk after all.
    case joined
    /// Work of a stage began.
    case stageBegan(LoadStage)
    /// More of the body has arrived; nothing is told of a body that comes in one piece.
    case progress(LoadProgress)
    /// Work of a stage ended, after so long. Storing on disk goes on after the load: its end may be told of after the
    /// load's own.
    case stageEnded(LoadStage, Duration)
    /// The memory cache or the data cache was asked, and had it or not.
    case cacheAsked(CacheTier, isHit: Bool)
    /// A data cache failed to read or to store; the load goes on without it.
    case cacheFailed(ImageError)
    /// The load ended. Cancellation is not a failure.
    case finished(Result<ImageResponse, LoadFailure>)
}
