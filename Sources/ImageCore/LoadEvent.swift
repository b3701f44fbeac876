/// What happens to one load, in order. The last event is exactly one `finished`.
public enum LoadEvent: Sendable {
    /// Bytes arrived.
    case progress(LoadProgress)
    /// A preview of the picture.
    case preview(DecodedImage)
    /// The end.
    case finished(Result<ImageResponse, LoadFailure>)
}

/// What an observer is told of every load of a loader.
public enum LoadObservation: Sendable {
    /// A load was asked for.
    case started
    /// Work of a stage began for this load, or for one that shares it.
    case stageBegan(LoadStage)
    /// Work of a stage ended, after so long.
    case stageEnded(LoadStage, Duration)
    /// The load ended. Cancellation is not a failure.
    case finished(Result<ImageResponse, LoadFailure>)
}
