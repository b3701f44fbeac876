/// What happens to one load, in order. The last event is exactly one `finished`.
public enum LoadEvent: Sendable {
    /// Bytes arrived.
    case progress(LoadProgress)
    /// A preview of the picture.
    case preview(DecodedImage)
    /// The end.
    case finished(Result<ImageResponse, LoadFailure>)
}

/// What an observer sees of a load. The stages of shared work are reported for the load that began it.
public enum LoadObservation: Sendable {
    /// A load began.
    case started
    /// The load shares work that another load began. Comes again where a load continues with other work: for a fallback source.
    case joined(LoadID)
    /// A stage began to wait in its queue, for a slot or for memory.
    case waitBegan(LoadStage)
    /// The wait in the queue ended, after this time.
    case waitEnded(LoadStage, Duration)
    /// A stage began its work.
    case stageBegan(LoadStage)
    /// More of the body arrived. Not reported for a body that comes in one piece.
    case progress(LoadProgress)
    /// A stage ended, after this time. Storing on disk continues after the load: its end may be reported after the load's.
    case stageEnded(LoadStage, Duration)
    /// The memory cache or the data cache was looked up.
    case cacheLookup(CacheTier, isHit: Bool)
    /// A data cache failed to read or to store; the load continues without it.
    case cacheFailed(ImageError)
    /// The load ended. Cancellation is not a failure.
    case finished(Result<ImageResponse, LoadFailure>)
}
