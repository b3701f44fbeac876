internal import ImageCore

extension LoadGraph {
    /// What the engine must do after an event.
    enum Action: Sendable {
        /// Run a step and report back with ``finish(_:_:retention:)`` or ``advance(_:to:)``.
        ///
        /// `hasMemoryReservation` says that the memory of the step has been claimed before.
        case run(NodeID, Work, ResourceClass, input: Value?, RankClass, CancellationToken, hasMemoryReservation: Bool)
        /// Cancel a step whose result is no longer wanted.
        case stop(CancellationToken)
        /// Store a result, then report with ``storeFinished(_:)``. Comes before the deliveries of the same event.
        case store(NodeID, WorkKey, Work, Value, CachePriority, StoreTargets)
        case progress(Subscriber, LoadProgress)
        /// Make a preview of the node from the bytes that have come; report it with ``preview(_:_:_:)``.
        case appendPartialData(NodeID, Work, PreviewPolicy)
        /// Make no more previews of the work.
        case endPartialData(Work)
        /// Run a step on a preview of its input, and report with ``preview(_:_:_:)``.
        case processPreview(NodeID, Work, Value, CancellationToken)
        case preview(Subscriber, Value)
        /// Keep the last preview of work that lost its last subscriber.
        case keepPreview(WorkKey, Value)
        /// The load's one terminal event.
        case deliver(Subscriber, Result<Value, LoadFailure>, isCoalesced: Bool)
    }
}
