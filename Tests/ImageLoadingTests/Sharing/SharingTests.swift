import CalotypeTesting
import ImageCore
import Testing
import Timing

@testable import ImageLoading

/// What the state machine of shared work decides, event by event.
@Suite struct SharingDecisions {
    private func image(_ name: String, _ variant: String = "") -> JobKey {
        JobKey(kind: .image, image: ImageKey(resource: ResourceKey(name), variant: ImageVariant(variant)))
    }

    private func bytes(_ name: String) -> JobKey { JobKey(kind: .original, image: ImageKey(resource: ResourceKey(name))) }

    private func load(_ number: UInt64) -> LoadID { LoadID(rawValue: number) }

    private func subscribe(
        _ sharing: inout Sharing, _ number: UInt64, to key: JobKey, scale: DecodeScale? = nil,
        _ change: (inout SubscriberOptions) -> Void = { _ in }
    ) -> Sharing.Joining {
        var options = SubscriberOptions()
        change(&options)
        return sharing.subscribe(to: key, load: load(number), scale: scale, options: options)
    }

    /// The work and the subscription of a subscriber.
    private func ids(_ joining: Sharing.Joining?) throws -> (JobID, SubscriptionID) {
        switch try #require(joining) {
        case .began(let work, let subscription), .joined(let work, let subscription): return (work, subscription)
        case .finished: throw ImageError.noInput
        }
    }

    @Test func theFirstSubscriberBeginsTheWorkAndTheNextJoinsIt() throws {
        var sharing = Sharing()
        let first = subscribe(&sharing, 1, to: image("a"))
        let (work, subscription) = try ids(first)
        #expect(first == .began(work, subscription))
        let second = subscribe(&sharing, 2, to: image("a"))
        #expect(second == .joined(work, try ids(second).1))
        #expect(sharing.nodes[work]?.load == load(1))
        let deliveries = sharing.finish(work, succeeded: true)
        #expect(
            deliveries == [
                Sharing.Delivery(subscription: subscription, dependent: nil, isCoalesced: false),
                Sharing.Delivery(subscription: try ids(second).1, dependent: nil, isCoalesced: true),
            ])
        #expect(sharing.takeEffects().removed.isEmpty)
        #expect(sharing.nodes.isEmpty && sharing.subscriptions.isEmpty && sharing.loads == 0)
    }

    @Test func aCopyIsIndependent() throws {
        var sharing = Sharing()
        let (_, subscription) = try ids(subscribe(&sharing, 1, to: image("a")))
        let before = sharing
        var copy = sharing
        copy.unsubscribe(subscription)
        #expect(sharing == before && copy != before)
    }

    @Test func workStopsWithItsLastSubscriberAndTakesItsUpstreamWithIt() throws {
        var sharing = Sharing()
        let (decode, first) = try ids(subscribe(&sharing, 1, to: image("a")))
        let (_, second) = try ids(subscribe(&sharing, 2, to: image("a")))
        let (fetch, _) = try ids(sharing.subscribe(decode, to: bytes("a"), scale: nil))
        _ = sharing.takeEffects()
        sharing.unsubscribe(first)
        #expect(sharing.takeEffects().stops.isEmpty)
        sharing.unsubscribe(second)
        #expect(
            sharing.takeEffects().stops == [
                Sharing.Stop(job: fetch, keepsPreview: false),
                Sharing.Stop(job: decode, keepsPreview: true),
            ])
        #expect(sharing.stopping == [fetch, decode] && sharing.nodes.isEmpty)
        #expect(sharing.finish(fetch, succeeded: true).isEmpty && sharing.finish(decode, succeeded: false).isEmpty)
        #expect(sharing.stopping.isEmpty)
    }

    @Test func upstreamThatOthersWantDoesNotStop() throws {
        var sharing = Sharing()
        let (process, first) = try ids(subscribe(&sharing, 1, to: image("a", "|p")))
        let (decode, _) = try ids(sharing.subscribe(process, to: image("a"), scale: nil))
        let (fetch, _) = try ids(sharing.subscribe(decode, to: bytes("a"), scale: nil))
        let (other, second) = try ids(subscribe(&sharing, 2, to: image("a", "2x2")))
        let joining = sharing.subscribe(other, to: bytes("a"), scale: nil)
        #expect(joining == .joined(fetch, try ids(joining).1))
        sharing.unsubscribe(first)
        #expect(sharing.takeEffects().stops.map(\.job) == [decode, process])
        #expect(Set(sharing.nodes.keys) == [fetch, other])
        sharing.unsubscribe(second)
        #expect(sharing.takeEffects().stops.map(\.job) == [fetch, other])
    }

    @Test func theRankIsThatOfTheHighestSubscriberAndReachesTheUpstream() throws {
        var sharing = Sharing()
        let (decode, _) = try ids(subscribe(&sharing, 1, to: image("a")) { $0.priority = .low })
        let (fetch, _) = try ids(sharing.subscribe(decode, to: bytes("a"), scale: nil))
        #expect(sharing.nodes[fetch]?.rank.rankClass == RankClass(.plain, .low))
        let (_, second) = try ids(subscribe(&sharing, 2, to: image("a")) { ($0.purpose, $0.priority) = (.view, .high) })
        #expect(sharing.takeEffects().reranked.suffix(2) == [decode, fetch])
        #expect(sharing.nodes[fetch]?.rank.rankClass == RankClass(.view, .high))
        sharing.setPriority(second, .veryLow)
        #expect(sharing.nodes[fetch]?.rank.rankClass == RankClass(.plain, .veryLow).max(RankClass(.plain, .low)))
        sharing.setPriority(second, .normal)
        #expect(sharing.nodes[fetch]?.rank.rankClass == RankClass(.view, .normal))
    }

    @Test func aViewThatHasLeftDoesNotMakeOtherWorkNewer() throws {
        var sharing = Sharing()
        let (fetch, _) = try ids(subscribe(&sharing, 1, to: bytes("a")) { $0.purpose = .view })
        let newest = sharing.nodes[fetch]?.newest
        let (decode, view) = try ids(subscribe(&sharing, 2, to: image("a")) { $0.purpose = .view })
        _ = subscribe(&sharing, 3, to: image("a"))
        sharing.unsubscribe(view)
        _ = sharing.subscribe(decode, to: bytes("a"), scale: nil)
        #expect(sharing.nodes[fetch]?.newest == newest)
    }

    @Test func finishedWorkIsJoinedAsLongAsItsResultIsUsedOrStored() throws {
        var sharing = Sharing()
        let (decode, first) = try ids(subscribe(&sharing, 1, to: image("a")))
        let (fetch, _) = try ids(sharing.subscribe(decode, to: bytes("a"), scale: nil))
        #expect(sharing.finish(fetch, succeeded: true).map(\.dependent) == [decode])
        // While it is used.
        #expect(subscribe(&sharing, 2, to: bytes("a")) == .finished(fetch))
        sharing.beginStoring(fetch)
        sharing.unsubscribe(first)
        // While it is stored.
        #expect(subscribe(&sharing, 3, to: bytes("a")) == .finished(fetch))
        sharing.endStoring(fetch)
        #expect(sharing.takeEffects().removed == [fetch])
        let (new, subscription) = try ids(subscribe(&sharing, 4, to: bytes("a")))
        #expect(new != fetch && sharing.nodes[new]?.subscribers == [subscription])
    }

    @Test func workThatFailsIsNotJoinedAndItsDependentsHearOfIt() throws {
        var sharing = Sharing()
        let (decode, _) = try ids(subscribe(&sharing, 1, to: image("a")))
        let (fetch, subscription) = try ids(sharing.subscribe(decode, to: bytes("a"), scale: nil))
        #expect(
            sharing.finish(fetch, succeeded: false) == [
                Sharing.Delivery(subscription: subscription, dependent: decode, isCoalesced: false)
            ])
        #expect(!sharing.contains(bytes("a")) && sharing.nodes[decode]?.upstream == nil)
    }

    @Test func aSizeThatCanBeMadeFromALargerOneWaitsForThat() throws {
        var sharing = Sharing()
        let sizes = [2, 8, 5].map { DecodeScale(family: "", box: PixelSize(width: $0, height: $0)) }
        let decodes = try sizes.map { size in
            let key = image("a", "\(size.box)")
            let (decode, _) = try ids(subscribe(&sharing, 1, to: key, scale: size))
            _ = sharing.subscribe(decode, to: bytes("a"), scale: nil)
            return decode
        }
        let fetch = try #require(sharing.nodes.first { $0.value.key == bytes("a") }).key
        // Five is more than the half of eight.
        #expect(sharing.finish(fetch, succeeded: true).map(\.dependent) == [decodes[1], decodes[2]])
        #expect(sharing.finish(decodes[1], succeeded: true).map(\.dependent) == [nil, decodes[0]])
    }

    @Test func progressAndPreviewsReachTheLoadsThatWantThem() throws {
        var sharing = Sharing()
        let (process, first) = try ids(subscribe(&sharing, 1, to: image("a", "|p")) { $0.wantsProgress = true })
        let (decode, _) = try ids(sharing.subscribe(process, to: image("a"), scale: nil))
        let (fetch, _) = try ids(sharing.subscribe(decode, to: bytes("a"), scale: nil))
        _ = subscribe(&sharing, 2, to: image("a"))
        let (_, third) = try ids(subscribe(&sharing, 3, to: image("a")) { $0.previews = .incremental })
        #expect(sharing.progressListeners(of: fetch) == [first])
        #expect(sharing.previewListeners(of: decode) == [third])
        #expect(sharing.previewingDependents(of: fetch).map(\.id) == [decode])
        sharing.unsubscribe(third)
        #expect(sharing.previewingDependents(of: fetch).isEmpty)
    }

    @Test func originalsAreStoredForEveryLoadBehindThemAndImagesForTheirOwn() throws {
        var sharing = Sharing()
        let (process, _) = try ids(subscribe(&sharing, 1, to: image("a", "|p")) { $0.targets = [.memory, .processed] })
        let (decode, _) = try ids(sharing.subscribe(process, to: image("a"), scale: nil))
        #expect(sharing.nodes[decode]?.targets == [])
        _ = subscribe(&sharing, 2, to: image("a", "|p")) { $0.targets = [.original] }
        #expect(sharing.nodes[process]?.targets == [.memory, .processed, .original])
        #expect(sharing.nodes[decode]?.targets == [.original])
    }

    /// Were a departure to search the others, this would take minutes.
    @Test(arguments: [false, true]) func thousandsOfLoadsLeaveInAnyOrder(isNewestFirst: Bool) throws {
        var sharing = Sharing()
        let subscriptions = try (0..<20_000).map { try ids(subscribe(&sharing, $0, to: image("a"))).1 }
        let time = ThreadTime.measure {
            for subscription in isNewestFirst ? subscriptions.reversed() : subscriptions { sharing.unsubscribe(subscription) }
        }
        #expect(time < .seconds(5) && sharing.loads == 0 && sharing.nodes.isEmpty)
    }
}

extension RankClass {
    fileprivate func max(_ other: RankClass) -> RankClass { self < other ? other : self }
}
