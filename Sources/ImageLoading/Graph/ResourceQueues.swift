/// The queue of each class of resources.
struct ResourceQueues: Sendable {
    /// In the order of the classes.
    private var queues: [ResourceQueue]

    /// - Parameters: limits of concurrent steps, and bytes that all running decodes may take together.
    init(fetches: Int, fetchesPerHost: Int, localReads: Int, workers: Int, decodingBytes: Int) {
        queues = ResourceClass.allCases.map { resource in
            switch resource {
            case .diskCache: ResourceQueue(limit: .max)
            case .network: ResourceQueue(limit: fetches, limitPerGroup: fetchesPerHost)
            case .local: ResourceQueue(limit: localReads)
            case .worker: ResourceQueue(limit: workers, budget: decodingBytes)
            }
        }
    }

    subscript(resource: ResourceClass) -> ResourceQueue {
        _read { yield queues[resource.rawValue] }
        _modify { yield &queues[resource.rawValue] }
    }

    var queued: Int { queues.reduce(0) { $0 + $1.queued } }
    var running: Int { queues.reduce(0) { $0 + $1.running } }
}
