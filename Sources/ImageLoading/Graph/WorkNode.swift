internal import ImageCore

typealias NodeID = SlabID
typealias LoadTicket = SlabID

/// What identifies shared work: two loads that need equal keys share one node.
struct WorkKey: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        /// The bytes, from the data cache or the source.
        case original
        /// The bytes, from the source even when they are cached.
        case fresh
        /// The bytes, from the data cache or not at all.
        case cachedOnly
        /// Pixels, after decoding and a prefix of the processors.
        case image
        /// The bytes, or as many of them as tell what the header says.
        case head
        /// The finished picture as the data cache has it, encoded.
        case processedBytes
        /// The finished picture, decoded from that.
        case processed
        /// What the header says, of as few bytes as tell it.
        case info
        /// What the header says, and that a decoder knows it.
        case header
    }

    let kind: Kind
    let image: ImageKey

    /// For the graph's index; made of what was hashed when the keys were.
    var hash: Int { image.hash &+ Int(kind.rawValue) }

    /// Whether the result is the original's bytes, which the data cache may keep.
    var isOriginal: Bool {
        switch kind {
        case .original, .fresh, .cachedOnly, .head: true
        case .processedBytes, .processed, .image, .header, .info: false
        }
    }
}

/// Where a step of work waits and runs.
enum Lane: Int, CaseIterable, Sendable {
    /// A question to the data cache: no limit here, the cache has its own.
    case lookup
    /// A fetch over the network: limited in total and per host.
    case network
    /// A local file or a caller's closure.
    case local
    /// Decoding and processing, on the loader's own threads.
    case worker
}

/// One link of the chain of work behind a load; the wanted one comes first, each depends on the next.
struct WorkLink<Work: Sendable>: Sendable {
    let key: WorkKey
    let work: Work
    let lane: Lane
    /// The host, in the network lane.
    var group = ""
    /// Of a decode to a size.
    var scale: DecodeScale?
}

/// A decode to a size, which others that differ from it in nothing but the size may be made of. An object, because it is
/// made once for all loads that share their options, and named by each of their nodes.
final class DecodeScale: Sendable {
    /// What is equal for all of them.
    let family: String
    let box: PixelSize

    init(family: String, box: PixelSize) { (self.family, self.box) = (family, box) }

    /// Whether the result of `larger` has pixels enough to make this one's of it: two for one in each direction.
    func canBeMade(of larger: DecodeScale) -> Bool {
        family == larger.family && 2 * box.width <= larger.box.width && 2 * box.height <= larger.box.height
    }
}

/// When a result may be stored.
enum Retention: Sendable {
    case never
    /// At once.
    case now
    /// When work that depends on it has succeeded, which proves it sound.
    case whenProven
}

/// Where a result is kept.
struct StoreTargets: OptionSet, Sendable {
    let rawValue: UInt8

    static let memory = StoreTargets(rawValue: 1)
    static let disk = StoreTargets(rawValue: 2)
}

/// What one load asks of the work that it shares.
struct LoadTerms: Sendable {
    var rankClass: RankClass
    /// Whether the wanted result is kept in memory, and how firmly.
    var writesMemory = true
    var cachePriority = CachePriority.normal
    /// Whether a fetched original is stored on disk.
    var writesDisk = true
    /// Whether the wanted result is kept on disk, encoded.
    var writesResult = false
    var wantsProgress = false
    var previews = PreviewPolicy.none
}

/// How many loads, directly or through dependents, want to see work go on.
struct Listeners: Sendable {
    var progress: UInt32 = 0
    private var thumbnails: UInt32 = 0
    private var previews: UInt32 = 0

    init() {}

    init(_ terms: LoadTerms) {
        progress = terms.wantsProgress ? 1 : 0
        thumbnails = terms.previews == .embeddedThumbnail ? 1 : 0
        previews = terms.previews == .incremental ? 1 : 0
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

/// A load inside the graph: a member of its node's list of loads.
struct LoadRecord<Subscriber: Sendable>: Sendable {
    let subscriber: Subscriber
    var terms: LoadTerms
    let node: NodeID
    let sequence: UInt64
    /// Whether the work had begun before this load came.
    let isCoalesced: Bool
    var previous: LoadTicket?
    var next: LoadTicket?
}

/// Shared work inside the graph.
struct WorkNode<Work: Sendable, Value: Sendable>: Sendable {
    enum State: Sendable {
        case waitingForUpstream
        case queued(Lane)
        case running(Lane, CancellationToken)
        /// Nobody wants it any more, but its step has not come back yet: it still takes up its slot.
        case stopping(Lane)
        case done(Value)
    }

    let key: WorkKey
    /// Of the key.
    let hash: Int
    let work: Work
    /// Where the first step runs.
    let lane: Lane
    let group: String
    let scale: DecodeScale?
    let oldest: UInt64
    /// Whether others find it by its key, and the next one in its chain of the index.
    var isIndexed = false
    var nextInIndex: NodeID?
    /// When the newest view came, directly or through a dependent.
    var newest: UInt64 = 0
    var state = State.waitingForUpstream
    /// Work whose result this one needs.
    var upstream: NodeID?
    /// Links of the upstream's list of dependents.
    var previous: NodeID?
    var next: NodeID?
    var firstDependent: NodeID?
    var lastDependent: NodeID?
    var firstLoad: LoadTicket?
    var lastLoad: LoadTicket?
    /// Loads and dependents by class.
    var counts = RankCounts()
    /// The class under which it is counted in its upstream.
    var countedAs: RankClass?
    /// Whether the engine is storing the result: the node stays, so that late comers find it.
    var isHeld = false
    /// What subscribers want stored; sticky.
    var storeTargets: StoreTargets = []
    var retention = Retention.never
    var listeners = Listeners()
    /// What was shown last while the result is being made.
    var preview: Value?
    /// Whether the engine was given bytes to make previews of.
    var isFed = false
    /// Bytes of memory that their decoder takes, and whether it had to give them up for a picture.
    var previewCost = 0
    var hasGivenWay = false
    /// How many results it has had; more than one when the first proved unsound.
    var version: UInt32 = 0
    /// The version of the upstream's result that its own step runs on.
    var inputVersion: UInt32 = 0
    var progress: LoadProgress?
    /// Bytes of memory that its step takes, once that is known, and those that count at this moment.
    var cost = 0
    var spent = 0
}
