internal import ImageCore

/// What one load, or a revalidation in the background, wants from the work that it shares.
struct SubscriberOptions: Equatable, Sendable {
    var purpose = LoadPurpose.plain
    var priority = LoadPriority.normal
    /// Where results are stored.
    var targets: StoreTargets = [.memory, .original]
    /// How firmly the memory cache keeps the image.
    var cachePriority = CachePriority.normal
    var wantsProgress = false
    var previews = PreviewPolicy.none
    /// The largest body that the load accepts, in bytes.
    var maximumBytes = Int.max
    /// Whether it is no load, but keeps a revalidation in the background alive.
    var isRevalidation = false

    /// The subscriber of a revalidation in the background.
    static let revalidation = SubscriberOptions(purpose: .prefetch, targets: [], isRevalidation: true)

    var rankClass: RankClass { isRevalidation ? .revalidation : RankClass(purpose, priority) }
}
