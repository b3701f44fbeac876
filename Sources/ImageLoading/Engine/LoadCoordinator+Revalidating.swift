internal import DequeModule
internal import ImageCore

/// Revalidations in the background, of entries that were served stale: jobs without a load, which wait in the loader's
/// queue with the lowest rank. Each entry is revalidated once at a time, and none is dropped. The next stale hit
/// repeats what failed.
extension LoadCoordinator {
    /// The most that have a job. The others wait as values, since a job keeps a suspended task.
    private static let maximumJobs = 64

    /// A revalidation that waits for a job.
    struct PendingRevalidation: Sendable {
        /// Names the entry.
        let image: ImageKey
        /// The plan of the load that found the entry.
        let plan: LoadPlan
        let revalidation: Revalidation
    }

    /// Revalidates an entry, unless that is being done.
    func revalidate(_ image: ImageKey, _ plan: LoadPlan, _ revalidation: Revalidation) {
        guard !control.withLock({ $0.isClosed }) else { return }
        state.withLock { state in
            guard !state.sharing.contains(JobKey(kind: .revalidation, image: image)),
                state.revalidatedImages.insert(image).inserted
            else { return }
            state.pendingRevalidations.append(PendingRevalidation(image: image, plan: plan, revalidation: revalidation))
        }
        startRevalidation()
    }

    /// Starts the next revalidation, if there is one and room for it.
    func startRevalidation() {
        let job = send { state -> Job? in
            guard state.sharing.revalidations < Self.maximumJobs, let next = state.pendingRevalidations.popFirst() else {
                return nil
            }
            state.revalidatedImages.remove(next.image)
            let key = JobKey(kind: .revalidation, image: next.image)
            guard
                case .began(let id, _) = state.sharing.subscribe(
                    to: key, load: next.plan.id, scale: nil, options: .revalidation)
            else { return nil }
            let job = Job(id, key: key, plan: next.plan, revalidation: next.revalidation)
            state.jobs[id] = LoaderState.JobState(job)
            return job
        }
        if let job { start(job) }
    }

    /// Cancels all revalidations.
    func endRevalidations() {
        // Released outside the lock, because what a plan captures may call the loader.
        let pending = send { state in
            defer { (state.pendingRevalidations, state.revalidatedImages) = ([], []) }
            state.sharing.endRevalidations()
            return state.pendingRevalidations
        }
        withExtendedLifetime(pending) {}
    }
}
