internal import ImageCore

/// Shared work inside the graph.
struct WorkNode<Work: Sendable, Value: Sendable>: Sendable {
    enum State: Sendable {
        case waitingForUpstream
        case queued(ResourceClass)
        case running(ResourceClass, CancellationToken)
        /// The last subscriber has left, but the step has not returned yet: it still occupies its slot.
        case stopping(ResourceClass)
        case done(Value)
    }

    let key: WorkKey
    let work: Work
    /// What the first step occupies.
    let resource: ResourceClass
    let group: String
    let scale: DecodeScale?
    /// The sequence number of the first load.
    let oldest: UInt64
    /// The sequence number of the newest view, direct or through a dependent.
    var newest: UInt64 = 0
    var state = State.waitingForUpstream
    /// Work whose result this one needs.
    var upstream: NodeID?
    /// Work that needs this one's result.
    var dependents: Set<NodeID> = []
    /// The loads that want this very result.
    var loads: Set<LoadTicket> = []
    /// Loads and dependents by class.
    var counts = RankCounts()
    /// The class under which it is counted in its upstream.
    var countedAs: RankClass?
    /// Whether the engine is storing the result. The node stays until then, so that late loads find it.
    var isStoring = false
    /// Where subscribers want the result stored; those who leave do not take it back.
    var storeTargets: StoreTargets = []
    var retention = Retention.never
    var listeners = Listeners()
    /// The last preview while the result is being made.
    var preview: Value?
    /// Whether the engine receives bytes to make previews from.
    var receivesPartialData = false
    /// Bytes of memory that the preview decoder takes.
    var previewCost = 0
    /// Whether the preview decoder had to give its memory up for a decode.
    var previewEvicted = false
    /// How many results the node has had; more than one when the first proved unsound.
    var version = 0
    /// The version of the upstream's result that its own step runs on.
    var inputVersion = 0
    var progress: LoadProgress?
    /// Bytes of memory that its step takes, once that is known.
    var cost = 0
    /// Bytes of memory that count against the budget at this moment.
    var spent = 0

    /// Whether anything keeps the node in the graph.
    var isWanted: Bool { !loads.isEmpty || !dependents.isEmpty || isStoring }

    var isWaitingForUpstream: Bool { if case .waitingForUpstream = state { true } else { false } }
}
