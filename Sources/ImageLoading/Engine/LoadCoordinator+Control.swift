internal import ImageCore

/// The members of ``ImageLoader`` that control all loads, or describe them.
extension LoadCoordinator {
    var runtimeOptions: OptionLayer {
        get { control.withLock { $0.defaults.runtime } }
        set {
            let configuration = components.configuration
            let defaults = LayeredDefaults(
                global: configuration.options, runtime: newValue, encodes: configuration.encoder != nil)
            control.withLock { $0.defaults = defaults }
        }
    }

    var isPaused: Bool {
        get { state.withLock { $0.scheduler.isPaused } }
        set { send { $0.scheduler.isPaused = newValue } }
    }

    var activity: ImageLoader.Activity {
        var activity = ImageLoader.Activity()
        state.withLock { state in
            (activity.loads, activity.work) = (state.sharing.loads, state.sharing.nodes.count + state.sharing.stopping.count)
            (activity.queued, activity.running) = (state.scheduler.queuedCount, state.scheduler.runningCount)
        }
        return activity
    }

    var statistics: ImageLoader.Statistics {
        var result = ImageLoader.Statistics()
        let counts = counts.withLock { $0 }
        (result.loads, result.bytes) = (counts.loads, counts.bytes)
        (result.loads.active, result.queues) = state.withLock { ($0.sharing.loads, $0.scheduler.statistics) }
        let configuration = components.configuration
        result.caches = (configuration.memoryCache?.cacheStatistics ?? []) + (configuration.dataCache?.cacheStatistics ?? [])
        return result
    }

    /// Follows whether the network is constrained, as long as the loader lives.
    func follow(_ updates: AsyncStream<NetworkStatus>) {
        let follower = Task { [weak self] in
            for await status in updates { self?.send { $0.network = status } }
        }
        control.withLock { $0.follower = follower }
    }

    /// Cancels every load and revalidation; later loads end as cancelled at once.
    func shutDown() {
        control.withLock { control in
            control.isClosed = true
            control.follower?.cancel()
        }
        for task in runningTasks { task.cancel() }
        endRevalidations()
    }

    /// The loads whose interceptors run, and then those that wait for work, the oldest first.
    var runningTasks: [ImageTask] {
        intercepted.withLock { $0.values.sorted { $0.id < $1.id } }
            + state.withLock { state in state.tasks.sorted { $0.key < $1.key }.map(\.value) }
    }

    /// Returns when every original fetched so far is stored, durably.
    func flush() async throws {
        await stores.allStoresEnded()
        try await components.dataCache?.flush()
    }

    /// Empties all caches. Stores that run are waited for, and loads that began before store nothing.
    func clearCaches() async throws {
        stores.close()
        // At once, and again when the stores have ended, which may have taken a while.
        components.memoryCache.removeAll()
        await stores.earlierStoresEnded()
        try await components.clearCaches()
    }
}
