internal import ImageCore

/// Reports of the steps, and the actions that the graph decides on.
extension LoadCoordinator: Pipeline.Reporting {
    // MARK: Reports of steps

    // Inlined, the code of these functions would enlarge the frame of every task that waits for bytes.

    @inline(never)
    func report(_ progress: LoadProgress, _ bytes: ReceivedBytes, from node: NodeID) {
        let actions = graph.withLock { graph in
            graph.report(progress, from: node)
            return graph.takeActions()
        }
        execute(actions, bytes: bytes)
    }

    func preview(_ node: NodeID, _ preview: WorkResult, _ token: CancellationToken) {
        send { $0.preview(node, preview, token) }
    }

    func advance(_ node: NodeID, to resource: ResourceClass) { send { $0.advance(node, to: resource) } }

    @inline(never)
    func finish(_ node: NodeID, _ result: Result<WorkResult, LoadFailure>, retention: Retention) {
        if case .success(.original(let original)) = result, original.isFetched { counters.fetched(original.metrics) }
        send { $0.finish(node, result, retention: retention) }
    }

    func retryUpstream(of node: NodeID, otherwise failure: LoadFailure) {
        send { $0.retryUpstream(of: node, with: .network, otherwise: failure) }
    }

    func claim(_ node: NodeID, bytes: Int) -> Bool {
        let (hasMemoryReservation, actions) = graph.withLock { graph -> (Bool, [Graph.Action]) in
            let hasMemoryReservation = graph.claim(node, bytes: bytes)
            return (hasMemoryReservation, graph.takeActions())
        }
        execute(actions)
        return hasMemoryReservation
    }

    func claimForPreviews(_ node: NodeID, bytes: Int) -> Bool {
        graph.withLock { $0.claimForPreviews(node, bytes: bytes) }
    }

    func hold(_ remainder: CancelledRemainder) {
        send { $0.hold(remainder.bytes) }
        remainder.onEnd { [weak self] in self?.send { $0.giveBack(remainder.bytes) } }
    }

    func storeFinished(_ node: NodeID) {
        send { $0.storeFinished(node) }
        storeEnded()
    }

    private func storeEnded() {
        let waiters = control.withLock { control -> [CheckedContinuation<Void, Never>] in
            control.stores -= 1
            guard control.stores == 0 else { return [] }
            defer { control.storeWaiters = [] }
            return control.storeWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    @inline(never)
    func observe(_ observation: @autoclosure () -> LoadObservation, _ plan: LoadPlan) {
        guard !observers.isEmpty else { return }
        let observation = observation()
        for observer in observers { observer.observe(observation, of: plan.id, request: plan.request) }
    }

    // MARK: Actions

    /// Tells the graph of an event, and executes the actions that follow.
    @inline(never)
    func send(_ event: @Sendable (inout Graph) -> Void) {
        let actions = graph.withLock { graph in
            event(&graph)
            return graph.takeActions()
        }
        execute(actions)
    }

    /// - Parameter bytes: the bytes so far, where the event was their arrival.
    func execute(_ actions: [Graph.Action], bytes: ReceivedBytes? = nil) {
        for action in actions {
            switch action {
            case .run(let node, let work, let resource, let input, let rank, let token, let hasMemoryReservation):
                let context = StageContext(rank: rank, token: token, hasMemoryReservation: hasMemoryReservation)
                pipeline.run(node, work, resource, input: input, context, reportingTo: self)
            case .stop(let token):
                token.cancel()
            case .store(let node, let key, let work, let result, let priority, let targets):
                control.withLock { $0.stores += 1 }
                pipeline.store(node, key, work, result, priority, targets, self)
            case .progress(let task, let progress):
                task.report(progress)
            case .appendPartialData(let node, let work, let policy):
                if let bytes { pipeline.appendPartialData(node, work, policy, bytes, reportingTo: self) }
            case .endPartialData(let work):
                work.plan.previews.withLock { $0.take() }?.end()
            case .processPreview(let node, let work, let input, let token):
                pipeline.processPreview(node, work, input, token, reportingTo: self)
            case .preview(let task, let preview):
                if case .image(let staged) = preview { task.show(staged.image) }
            case .keepPreview(let key, let preview):
                pipeline.keepPreview(key, preview)
            case .deliver(let task, let result, let isCoalesced):
                end(task, result, isCoalesced: isCoalesced)
            }
        }
    }
}

extension WorkResult {
    /// The response for one subscriber of the wanted node.
    func response(isCoalesced: Bool, after total: Duration) -> Result<ImageResponse, LoadFailure> {
        let original: Original
        switch self {
        case .image(let staged):
            return .success(
                ImageResponse(
                    image: staged.image, tier: staged.tier, metrics: staged.metrics.completed(isCoalesced, after: total)))
        case .header(let header): original = header.original
        case .original(let whole): original = whole
        }
        // Loads of bytes return a placeholder image that is never read.
        guard let none = DecodedImage.none else { return .failure(.failed(.noInput)) }
        let metrics = original.metrics.completed(isCoalesced, after: total)
        return .success(ImageResponse(image: none, tier: original.tier, metrics: metrics))
    }
}

extension LoadMetrics {
    /// The metrics of shared work as those of one load that waited for it.
    fileprivate func completed(_ isCoalesced: Bool, after total: Duration) -> LoadMetrics {
        var metrics = self
        (metrics.isCoalesced, metrics.total) = (isCoalesced, total)
        return metrics
    }
}
