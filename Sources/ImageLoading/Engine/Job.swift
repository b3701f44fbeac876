internal import ImageCore

/// One piece of shared work while it runs: what ``Pipeline`` needs to know of it.
///
/// A job has one task, which is suspended while it waits for another job or for a slot. It runs once for all loads that
/// need an equal ``JobKey``.
final class Job: Sendable {
    /// What a job that waits for its upstream makes previews of.
    enum PreviewInput: Sendable {
        case none
        /// The bytes that arrive. The processor runs on the decoded image.
        case bytes((any Processing)?)
        /// The previews of the image before the processor.
        case image(any Processing)
    }

    private struct Previews {
        var input = PreviewInput.none
        var session: PreviewSession?
    }

    let id: JobID
    let key: JobKey
    /// The plan of the load that began the job.
    let plan: LoadPlan
    /// The steps from the decoded image to that of the job.
    let steps: [PixelStep]
    /// The bytes, where a revalidation has fetched them before.
    let fetched: Original?
    /// What the job brings up to date, in the background; `nil` for a job that loads wait for.
    let revalidation: Revalidation?
    /// Cancelled when the last subscriber leaves.
    let token = CancellationToken()
    /// What the job has taken so far, with its upstreams.
    let metrics = Lock(LoadMetrics())
    private let previews = Lock(Previews())

    init(
        _ id: JobID, key: JobKey, plan: LoadPlan, steps: [PixelStep] = [], fetched: Original? = nil,
        revalidation: Revalidation? = nil
    ) {
        (self.id, self.key, self.plan, self.steps) = (id, key, plan, steps)
        (self.fetched, self.revalidation) = (fetched, revalidation)
    }

    // MARK: Previews

    /// The job waits for its upstream, and makes previews of what that has so far.
    func makePreviews(of input: PreviewInput) { previews.withLock { $0.input = input } }

    /// More bytes of the upstream arrived.
    func receive(_ bytes: BodyBuffer, _ policy: PreviewPolicy, _ coordinator: LoadCoordinator) {
        let session = previews.withLock { previews in
            if previews.session == nil, case .bytes(let processor) = previews.input {
                previews.session = PreviewSession(self, processor: processor, coordinator)
            }
            return previews.session
        }
        session?.append(bytes, policy)
    }

    /// A preview of the upstream was made.
    func receive(_ preview: StagedImage, _ coordinator: LoadCoordinator) {
        guard case .image(let processor) = previews.withLock({ $0.input }) else { return }
        let stage = ProcessStage(processor, of: plan, coordinator.components)
        if let processed = stage.preview(of: preview, token) { coordinator.show(processed, of: self) }
    }

    /// Makes no more previews. Returns whether there were any.
    @discardableResult
    func endPreviews() -> Bool {
        let session = previews.withLock { previews in
            defer { previews = Previews() }
            return previews.session
        }
        session?.end()
        return session != nil
    }
}
