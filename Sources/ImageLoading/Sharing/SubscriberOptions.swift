internal import ImageCore

/// What one load wants from the work that it shares.
struct SubscriberOptions: Equatable, Sendable {
    var purpose = LoadPurpose.plain
    var priority = LoadPriority.normal
    /// Where results are stored.
    var targets: StoreTargets = [.memory, .original]
    /// How firmly the memory cache keeps the image.
    var cachePriority = CachePriority.normal
    var wantsProgress = false
    var previews = PreviewPolicy.none

    var rankClass: RankClass { RankClass(purpose, priority) }
}
