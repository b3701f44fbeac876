/// A load inside the graph: one subscriber of a node.
struct LoadRecord<Subscriber: Sendable>: Sendable {
    let subscriber: Subscriber
    var options: SubscriberOptions
    let node: NodeID
    /// Whether the work had begun before this load came.
    let isCoalesced: Bool
}
