internal import ImageCore

/// What the state machine of shared work answers.
extension Sharing {
    /// How a subscriber found its work.
    enum Joining: Equatable, Sendable {
        /// The work is new: the caller makes it run.
        case began(JobID, SubscriptionID)
        case joined(JobID, SubscriptionID)
        /// The result is at hand. A load has no subscription then.
        case finished(JobID)
    }

    /// A subscriber that gets the result of finished work.
    struct Delivery: Equatable, Sendable {
        let subscription: SubscriptionID
        let dependent: JobID?
        let isCoalesced: Bool
    }

    /// A job that must stop because its last subscriber left.
    struct Stop: Equatable, Sendable {
        let job: JobID
        /// Whether its last preview may be kept in memory.
        let keepsPreview: Bool
    }

    /// What the coordinator must do after an event.
    struct Effects: Equatable, Sendable {
        /// Jobs whose rank changed.
        var reranked: [JobID] = []
        var stops: [Stop] = []
        /// Jobs that finished earlier and are no longer of use.
        var removed: [JobID] = []

        var isEmpty: Bool { reranked.isEmpty && stops.isEmpty && removed.isEmpty }
    }
}
