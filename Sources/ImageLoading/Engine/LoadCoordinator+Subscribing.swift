internal import ImageCore

/// How a load finds the job that makes its output.
extension LoadCoordinator {
    /// Subscribes a load to the job that makes its output, and starts that where it is new. Returns the output if it is
    /// at hand.
    func subscribe(_ task: ImageTask, _ plan: LoadPlan) -> LoadOutput? {
        // The job may end on another thread before the observers know of the join.
        if !observers.isEmpty { task.hold() }
        let subscribed = findJob(task, plan)
        if let joined = subscribed.joined { observe(.joined(joined), plan) }
        if !observers.isEmpty { task.release() }
        if let progress = subscribed.progress { task.report(progress) }
        if let preview = subscribed.preview {
            task.show(preview.image)
        } else if let id = subscribed.previewless {
            previewWhatHasArrived(for: id)
        }
        if let job = subscribed.new { start(job) }
        guard let subscription = subscribed.subscription else { return subscribed.output }
        // The load may have been cancelled, or its priority changed, before it had a subscription.
        guard let priority = task.didSubscribe(subscription, joiningNarrowerFetch: subscribed.joinsNarrowerFetch) else {
            leave(subscription)
            return nil
        }
        if priority != plan.priority { setPriority(subscription, priority) }
        if subscribed.usesExpensiveNetwork { endUnlessExpensiveNetworkIsAllowed(task) }
        return nil
    }

    /// How a load found its job.
    private struct Subscribed: Sendable {
        var subscription: SubscriptionID?
        /// A job that is new and must be started.
        var new: Job?
        /// The load that began the job.
        var joined: LoadID?
        var progress: LoadProgress?
        var preview: StagedImage?
        /// A job that has made no preview yet.
        var previewless: JobID?
        /// The output of a finished job.
        var output: LoadOutput?
        var joinsNarrowerFetch = false
        var usesExpensiveNetwork = false
    }

    private func findJob(_ task: ImageTask, _ plan: LoadPlan) -> Subscribed {
        let key = plan.jobKey(components)
        var options = plan.subscriberOptions
        options.wantsProgress = task.wantsProgress
        if task.wantsProgress { options.previews = plan.options.previews }
        options.maximumBytes = plan.maximumResponseBytes(components)
        let scale = key.kind == .image && plan.runs.isEmpty ? plan.scale : nil
        let steps = plan.steps { count in contains(plan.imageKey(after: count, components)) }
        return send { state in
            var subscribed = Subscribed()
            switch state.sharing.subscribe(to: key, load: plan.id, scale: scale, options: options) {
            case .began(let id, let subscription):
                let job = Job(id, key: key, plan: plan, steps: steps)
                state.jobs[id] = LoaderState.JobState(job)
                state.tasks[subscription] = task
                (subscribed.new, subscribed.subscription) = (job, subscription)
            case .joined(let id, let subscription):
                state.tasks[subscription] = task
                (subscribed.joined, subscribed.subscription) = (state.sharing.nodes[id]?.load, subscription)
                if task.wantsProgress { subscribed.progress = state.progress(of: id) }
                if options.previews != .none { (subscribed.preview, subscribed.previewless) = (state.jobs[id]?.preview, id) }
                if let fetch = state.fetch(of: id) {
                    subscribed.joinsNarrowerFetch = fetch.areExceeded(by: plan, components)
                    subscribed.usesExpensiveNetwork = state.network.isExpensive
                }
            case .finished(let id):
                (subscribed.joined, subscribed.output) = (state.sharing.nodes[id]?.load, state.jobs[id]?.output)
            }
            return subscribed
        }
    }

    /// Whether a job with that key can be joined.
    private func contains(_ key: JobKey) -> Bool { state.withLock { $0.sharing.contains(key) } }

    func leave(_ subscription: SubscriptionID) {
        send { state in
            state.tasks[subscription] = nil
            state.sharing.unsubscribe(subscription)
        }
    }

    func setPriority(_ subscription: SubscriptionID, _ priority: LoadPriority) {
        send { $0.sharing.setPriority(subscription, priority) }
    }
}
