public import ImageCore

// Cancels many loads with one call.
extension ImageLoader {
    /// Cancels every running load whose request names that owner, in the order of their starts, and removes the waiting
    /// requests of the owner from the loader's prefetchers. Loads that start afterwards are not cancelled.
    public func cancel(owner: LoadOwner) {
        // The prefetchers first, since a cancelled load makes room for the next request.
        coordinator.prefetchers.stopWaiting(owner)
        for task in coordinator.ownedLoads.loads(of: owner) { task.cancel() }
    }

    /// Cancels every running load in the order of their starts, and stops the loader's prefetchers, for example when
    /// the user signs out. Loads that start afterwards are not cancelled.
    public func cancelAll() {
        coordinator.prefetchers.stopWaiting(nil)
        for task in coordinator.runningTasks { task.cancel() }
    }
}
