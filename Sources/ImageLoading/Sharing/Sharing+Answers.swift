internal import ImageCore

/// What the state machine of shared work answers.
extension Sharing {
    /// How a subscriber found its work.
    enum Joining: Equatable, Sendable {
        /// The work is new: the caller makes it run.
        case began(WorkID, SubscriptionID)
        case joined(WorkID, SubscriptionID)
        /// The result is at hand. A load has no subscription then.
        case finished(WorkID)
    }

    /// A subscriber that gets the result of finished work.
    struct Delivery: Equatable, Sendable {
        let subscription: SubscriptionID
        let dependent: WorkID?
        let isCoalesced: Bool
    }

    /// Work that must stop because its last subscriber left.
    struct Stop: Equatable, Sendable {
        let work: WorkID
        /// Whether its last preview may be kept in memory.
        let keepsPreview: Bool
    }

    /// What the coordinator must do after an event.
    struct Effects: Equatable, Sendable {
        /// Work whose rank changed.
        var reranked: [WorkID] = []
        var stops: [Stop] = []
        /// Work that finished earlier and is no longer of use.
        var removed: [WorkID] = []

        var isEmpty: Bool { reranked.isEmpty && stops.isEmpty && removed.isEmpty }
    }
}
