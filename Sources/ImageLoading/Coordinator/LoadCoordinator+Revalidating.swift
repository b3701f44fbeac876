internal import ImageCore

/// Revalidations in the background, of entries that were served stale.
///
/// Each is shared work without a load: it waits in the loader's queue with the lowest rank, takes a slot of its host, and runs once
/// for each entry.
extension LoadCoordinator {
    /// The most revalidations that wait and run; a stale hit beyond that is revalidated when it is hit again.
    static let maximumRevalidations = 500

    /// Revalidates an entry, unless that is being done.
    ///
    /// - Parameters:
    ///   - image: names the entry.
    ///   - plan: the plan of the load that found the entry.
    ///   - body: sends the request. The next stale hit repeats what failed.
    func revalidate(_ image: ImageKey, _ plan: LoadPlan, _ body: @escaping @Sendable () async -> Void) {
        guard !control.withLock({ $0.isClosed }) else { return }
        let key = WorkKey(kind: .revalidation, image: image)
        let work = send { state -> SharedWork? in
            guard !state.sharing.contains(key), state.sharing.revalidations < Self.maximumRevalidations,
                case .began(let id, _) = state.sharing.subscribe(to: key, load: plan.id, scale: nil, options: .revalidation)
            else { return nil }
            let work = SharedWork(id, key: key, plan: plan)
            state.works[id] = LoaderState.WorkState(work)
            return work
        }
        guard let work else { return }
        proceed(work, nil) {
            .task(.revalidate, on: .network) {
                await body()
            } then: { _, _ in
                // No load waits for a result.
                throw CancellationError()
            }
        }
    }
}
