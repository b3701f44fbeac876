/// One link of the chain of work behind a load. The wanted result comes first; each link depends on the next one.
struct WorkLink<Work: Sendable>: Sendable {
    let key: WorkKey
    let work: Work
    /// What the first step occupies.
    let resource: ResourceClass
    /// The host, for the network.
    var group = ""
    /// Set for a decode to a size.
    var scale: DecodeScale?
}
