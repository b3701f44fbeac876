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

/// Where loads want results stored.
struct StoreTargets: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    /// The image in the memory cache.
    static let memory = StoreTargets(rawValue: 1)
    /// The original bytes in the data cache.
    static let original = StoreTargets(rawValue: 2)
    /// The processed image in the data cache, encoded.
    static let processed = StoreTargets(rawValue: 4)
}

/// How many loads, directly or through dependents, want progress and previews of work.
struct Listeners: Equatable, Sendable {
    var progress: Int32 = 0
    private var thumbnails: Int32 = 0
    private var previews: Int32 = 0

    init() {}

    init(_ options: SubscriberOptions) {
        progress = options.wantsProgress ? 1 : 0
        thumbnails = options.previews == .embeddedThumbnail ? 1 : 0
        previews = options.previews == .incremental ? 1 : 0
    }

    /// The most that one of them wants; `nil` when none wants previews.
    var previewPolicy: PreviewPolicy? {
        previews > 0 ? .incremental : thumbnails > 0 ? .embeddedThumbnail : nil
    }

    var isEmpty: Bool { progress == 0 && previews == 0 && thumbnails == 0 }

    static func += (a: inout Self, b: Self) {
        a.progress += b.progress
        a.thumbnails += b.thumbnails
        a.previews += b.previews
    }

    static func -= (a: inout Self, b: Self) {
        a.progress -= b.progress
        a.thumbnails -= b.thumbnails
        a.previews -= b.previews
    }
}
