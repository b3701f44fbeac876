internal import ImageCore

/// How a load finds its work, and ends with it.
extension LoadCoordinator {
    /// Ends a task at once with its image from the memory cache, or subscribes it to the work that makes its result.
    func begin(_ task: ImageTask, _ lookup: MemoryLookup) {
        let plan = lookup.plan
        if !observers.isEmpty { observe(lookup) }
        if let hit = lookup.hit { return task.finish(.success(ImageResponse(image: hit, tier: .memory))) }
        if let preview = lookup.found, plan.options.previews != .none { task.show(preview) }
        if lookup.found == nil, task.wantsProgress, let standIn = parts.standIn(for: plan) { task.show(standIn, isStandIn: true) }
        guard !control.withLock({ $0.isClosed }) else { return task.finish(.failure(.cancelled)) }
        // The work may end on another thread before the observers know of the join.
        if !observers.isEmpty { task.hold() }
        let subscribed = subscribe(task, plan)
        if let joined = subscribed.joined { observe(.joined(joined), plan) }
        if !observers.isEmpty { task.release() }
        if let progress = subscribed.progress { task.report(progress) }
        if let preview = subscribed.preview { task.show(preview.image) }
        if let work = subscribed.new { start(work) }
        if let result = subscribed.result {
            if plan.subscriberOptions.targets.contains(.memory), case .image(let staged) = result, !staged.image.isPartial {
                storeNow(plan) {
                    parts.memoryCache.store(staged.image, for: plan.imageKey, priority: plan.options.cachePriority)
                }
            }
            end(task, .success(result), isCoalesced: true)
        }
        guard let subscription = subscribed.subscription else { return }
        // The load may have been cancelled, or its priority changed, before it had a subscription.
        guard let priority = task.started(subscription) else { return leave(subscription) }
        if priority != plan.priority { setPriority(subscription, priority) }
    }

    /// How a load found its work.
    private struct Subscribed: Sendable {
        var subscription: SubscriptionID?
        /// Work that is new and must be started.
        var new: SharedWork?
        /// The load that began the work.
        var joined: LoadID?
        var progress: LoadProgress?
        var preview: StagedImage?
        /// The result of finished work.
        var result: WorkResult?
    }

    private func subscribe(_ task: ImageTask, _ plan: LoadPlan) -> Subscribed {
        let key = plan.workKey(parts)
        var options = plan.subscriberOptions
        options.wantsProgress = task.wantsProgress
        if task.wantsProgress { options.previews = plan.options.previews }
        let scale = key.kind == .image && plan.options.processors.isEmpty ? plan.scale : nil
        return send { state in
            var subscribed = Subscribed()
            switch state.sharing.subscribe(to: key, load: plan.id, scale: scale, options: options) {
            case .began(let id, let subscription):
                let work = SharedWork(id, key: key, plan: plan)
                state.works[id] = LoaderState.WorkState(work)
                state.tasks[subscription] = task
                (subscribed.new, subscribed.subscription) = (work, subscription)
            case .joined(let id, let subscription):
                state.tasks[subscription] = task
                (subscribed.joined, subscribed.subscription) = (state.sharing.works[id]?.load, subscription)
                if task.wantsProgress { subscribed.progress = state.progress(of: id) }
                if options.previews != .none { subscribed.preview = state.works[id]?.preview }
            case .finished(let id):
                (subscribed.joined, subscribed.result) = (state.sharing.works[id]?.load, state.works[id]?.result)
            }
            return subscribed
        }
    }

    /// The work of a load ended: the load ends too, unless there is another source to try.
    func end(_ task: ImageTask, _ result: Result<WorkResult, LoadFailure>, isCoalesced: Bool) {
        switch result {
        case .success(let value):
            let began = observers.isEmpty ? nil : ContinuousClock.now
            if task.plan.goal != .image { task.outcome = value }
            task.finish(value.response(isCoalesced: isCoalesced, after: task.elapsed), deliveryBegan: began)
        case .failure(.failed(let error)):
            guard let source = task.nextSource(after: error) else { return task.fail(error) }
            do {
                let next = try plan(task.request.replacing(source), goal: task.plan.goal, continuing: task.plan)
                begin(task, parts.lookUpMemory(next))
            } catch {
                if let error = error.error { task.fail(error) } else { task.finish(.failure(error)) }
            }
        case .failure(.cancelled): task.finish(.failure(.cancelled))
        }
    }
}
