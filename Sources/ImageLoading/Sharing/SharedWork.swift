internal import ImageCore

/// One piece of shared work while it runs: what its stages need to know of it.
final class SharedWork: Sendable {
    /// What work that waits for its upstream does with what arrives before the result.
    private struct Receivers {
        var makePreviews: (@Sendable () -> PreviewSession?)?
        var previews: PreviewSession?
        var onPreview: (@Sendable (StagedImage) -> Void)?
    }

    let id: WorkID
    let key: WorkKey
    /// The plan of the load that began the work.
    let plan: LoadPlan
    /// Cancelled when the last subscriber leaves.
    let token = CancellationToken()
    private let receivers = Lock(Receivers())

    init(_ id: WorkID, key: WorkKey, plan: LoadPlan) {
        (self.id, self.key, self.plan) = (id, key, plan)
    }

    // MARK: Previews

    /// The work waits for bytes, and makes previews of them as they arrive.
    ///
    /// - Parameter make: called when the first bytes arrive that a load wants previews of.
    func setMakePreviews(_ make: @escaping @Sendable () -> PreviewSession?) { receivers.withLock { $0.makePreviews = make } }

    /// The work waits for an image, and processes previews of it.
    func setOnPreview(_ receive: (@Sendable (StagedImage) -> Void)?) { receivers.withLock { $0.onPreview = receive } }

    /// More bytes of its upstream arrived.
    func receive(_ bytes: ReceivedBytes, _ policy: PreviewPolicy) {
        let session = receivers.withLock { receivers in
            if let make = receivers.makePreviews.take() { receivers.previews = make() }
            return receivers.previews
        }
        session?.append(bytes, policy)
    }

    /// A preview of its upstream was made.
    func receive(_ preview: StagedImage) { receivers.withLock { $0.onPreview }?(preview) }

    /// Makes no more previews. Returns whether there were any.
    @discardableResult
    func endPreviews() -> Bool {
        let session = receivers.withLock { receivers in
            (receivers.onPreview, receivers.makePreviews) = (nil, nil)
            return receivers.previews.take()
        }
        session?.end()
        return session != nil
    }
}
