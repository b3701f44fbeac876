internal import ImageCore

extension Sharing {
    /// Shared work.
    struct Node: Equatable, Sendable {
        let key: JobKey
        /// The load that began the work.
        let load: LoadID
        /// The size of a decode whose result other sizes may be made from.
        let scale: DecodeScale?
        /// When the oldest load behind the work began; decides the order among equals.
        let oldest: UInt64
        /// When the newest view behind the work came, directly or through other work.
        var newest: UInt64 = 0
        var isFinished = false
        var isStoring = false
        /// The subscribers, the oldest first, and some that have left: ``Sharing/subscribers(of:)`` leaves those out.
        var subscribers: [SubscriptionID] = []
        /// How many of them have not left.
        var subscriberCount = 0
        /// The subscribers by class.
        var counts = RankCounts()
        var listeners = Listeners()
        /// Where loads want the result stored. A load that leaves does not take that back.
        var targets: StoreTargets = []
        var cachePriority = CachePriority.normal
        /// The smallest of the largest bodies that the loads accept, in bytes. A load that leaves does not take it
        /// back.
        var smallestLimit = Int.max
        /// The subscription to the work whose result this one needs.
        var upstream: SubscriptionID?

        mutating func add(_ subscription: SubscriptionID, _ rankClass: RankClass) {
            subscribers.append(subscription)
            subscriberCount += 1
            counts.add(rankClass)
        }

        /// Adds what a new subscriber wants, of the work or of work that depends on it.
        mutating func add(_ demand: Demand) {
            listeners += demand.listeners
            newest = max(newest, demand.newest)
            targets.formUnion(demand.targets)
            if demand.cachePriority == .high { cachePriority = .high }
            smallestLimit = min(smallestLimit, demand.smallestLimit)
        }

        /// Whether the work, or its result, is still of use.
        var isNeeded: Bool { subscriberCount > 0 || isFinished && isStoring }

        /// Whether its upstream makes the same image: the image was looked up in the data cache, and is not there.
        var sharesImageWithUpstream: Bool { key.kind == .processedImage }

        var rankClass: RankClass { counts.highest ?? RankClass(rawValue: 0) }

        var rank: QueueRank {
            QueueRank(rankClass: rankClass, oldest: oldest, newest: newest)
        }
    }

    /// One subscriber of work: a load, or other work.
    struct Subscription: Equatable, Sendable {
        let job: JobID
        /// The work that needs the result; `nil` for a load.
        let dependent: JobID?
        /// The options of a load; `nil` for other work.
        var options: SubscriberOptions?
        /// The class under which the subscriber is counted.
        var rankClass: RankClass
        /// Whether the work had begun before the subscriber came.
        let isCoalesced: Bool
    }

    /// What a subscriber wants.
    struct Demand: Equatable, Sendable {
        let rankClass: RankClass
        let listeners: Listeners
        let newest: UInt64
        let smallestLimit: Int
        private(set) var targets: StoreTargets
        private(set) var cachePriority: CachePriority

        init(_ options: SubscriberOptions, _ subscription: SubscriptionID) {
            (rankClass, listeners) = (options.rankClass, Listeners(options))
            newest = rankClass.purpose == .view ? subscription.rawValue : 0
            (targets, cachePriority) = (options.targets, options.cachePriority)
            smallestLimit = options.maximumBytes
        }

        /// The demand of all loads behind work.
        init(_ node: borrowing Node) {
            (rankClass, listeners) = (node.rankClass, node.listeners)
            // A view that has left, or is off screen, does not make other work newer.
            newest = rankClass.purpose == .view ? node.newest : 0
            (targets, cachePriority) = (node.targets, node.cachePriority)
            smallestLimit = node.smallestLimit
            passUpstream(of: node)
        }

        /// Of what an image is made of, only the original bytes are stored.
        mutating func passUpstream(of node: borrowing Node) {
            guard !node.sharesImageWithUpstream else { return }
            targets.formIntersection([.original, .animation])
            cachePriority = .normal
        }
    }
}

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
    /// The original bytes of an animation, of which no processed image is stored.
    static let animation = StoreTargets(rawValue: 8)
    /// The image in the data cache, in the bytes of the format that the load wants.
    static let encoded = StoreTargets(rawValue: 16)
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
