import CalotypeTesting
import Foundation
import ImageCore
import Testing

@testable import ImageLoading

/// Random programs run against the two state machines, ``Sharing`` and ``Scheduler``, with a simulated engine that runs
/// work late and in any order, and checked at every step against what a reader of the rules would expect.
@Suite(.timeLimit(.minutes(5))) struct Model {
    /// Steps per seed and number of seeds; `CALOTYPE_MODEL_STEPS` sets the total for a longer run, and
    /// `CALOTYPE_MODEL_SEED` repeats one seed.
    @Test func randomProgramsKeepEveryPromise() async throws {
        let environment = ProcessInfo.processInfo.environment
        let total = environment["CALOTYPE_MODEL_STEPS"].flatMap(Int.init) ?? 40_000
        let stepsPerSeed = 2_000
        let seeds =
            if let seed = environment["CALOTYPE_MODEL_SEED"].flatMap(UInt64.init) { [seed] } else {
                (0..<UInt64(max(1, total / stepsPerSeed))).map { $0 }
            }
        for seed in seeds {
            var simulation = Simulation(seed: seed)
            if let problem = simulation.run(steps: stepsPerSeed) {
                Issue.record("seed \(seed): \(problem)")
                return
            }
            // Other tests need the thread too.
            await Task.yield()
        }
    }
}

private struct Simulation {
    struct Load {
        let subscription: SubscriptionID
        let chain: [JobKey]
        var options: SubscriberOptions
        var ends = 0
        var hasLeft = false

        var isWaiting: Bool { ends == 0 && !hasLeft }
    }

    /// What the simulated engine knows of one piece of work.
    struct Work {
        /// The key of its own result, then of the work that it needs.
        let chain: [JobKey]
        var step = Step.begins
        var input: JobKey?
        var bytes = 0
        var isStopped = false
        var holdsPreviews = false
    }

    enum Step: Equatable {
        case begins
        case waitsForResult
        case needsSlot
        case waitsForSlot(ResourceClass)
        case runs(ResourceClass)
        /// Work that stopped before it ran: it ends at its next step.
        case ends
    }

    /// Of decodes: none, or one of three sizes, each of which can be made of the next.
    static let scales: [DecodeScale?] = [
        nil, DecodeScale(family: "", box: PixelSize(width: 1, height: 1)),
        DecodeScale(family: "", box: PixelSize(width: 2, height: 2)),
        DecodeScale(family: "", box: PixelSize(width: 4, height: 4)),
    ]

    static let limits = (fetches: 3, perHost: 2, local: 2, workers: 3, bytes: 10)

    var random: SeededGenerator
    var sharing = Sharing()
    var scheduler = Scheduler(
        fetches: limits.fetches, fetchesPerHost: limits.perHost, localReads: limits.local, workers: limits.workers,
        concurrentDecodeBytes: limits.bytes)
    /// In the order in which they began.
    var loads: [Load] = []
    var subscribers: [SubscriptionID: Int] = [:]
    var works: [JobID: Work] = [:]
    var storing: [JobID] = []
    var isConstrained = false
    var problem: String?

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func run(steps: Int) -> String? {
        for step in 0..<steps {
            act()
            settle()
            check()
            if let problem { return "step \(step): \(problem)" }
        }
        return drain()
    }

    // MARK: Events

    private mutating func act() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<22: begin()
        case 22..<36: leave()
        case 36..<43: reprioritise()
        case 43..<44: scheduler.isPaused = Bool.random(using: &random)
        case 44..<45: isConstrained = Bool.random(using: &random)
        case 45..<52: endStoring()
        case 52..<56: claimPreviews()
        default: advance()
        }
    }

    private mutating func begin() {
        let name = ResourceKey("r\(Int.random(in: 0..<5, using: &random))")
        let lists: [[String]] = [[], ["a"], ["a", "b"], ["b"], ["a", "c"]]
        var variant = Self.scales.randomElement(using: &random)!.map { "s\($0.box.width)" } ?? ""
        var chain = [
            JobKey(kind: .original, image: ImageKey(resource: name)),
            JobKey(kind: .image, image: ImageKey(resource: name, variant: ImageVariant(variant))),
        ]
        for name in lists.randomElement(using: &random)! {
            variant += "|" + name
            chain.append(
                JobKey(kind: .image, image: ImageKey(resource: chain[0].image.resource, variant: ImageVariant(variant))))
        }
        chain.reverse()
        // Now and then a load wants the bytes alone.
        if Int.random(in: 0..<10, using: &random) == 0 { chain = [chain[chain.count - 1]] }
        if Int.random(in: 0..<10, using: &random) == 0 { return revalidate(name) }
        var options = SubscriberOptions()
        options.purpose = LoadPurpose.allCases.randomElement(using: &random)!
        options.priority = LoadPriority.allCases.randomElement(using: &random)!
        options.wantsProgress = Bool.random(using: &random)
        options.previews = PreviewPolicy.allCases.randomElement(using: &random)!
        let number = loads.count
        let load = LoadID(rawValue: UInt64(number))
        switch sharing.subscribe(to: chain[0], load: load, scale: scale(of: chain[0]), options: options) {
        case .began(let id, let subscription):
            works[id] = Work(chain: chain)
            add(Load(subscription: subscription, chain: chain, options: options), number)
        case .joined(_, let subscription): add(Load(subscription: subscription, chain: chain, options: options), number)
        case .finished(let id):
            if sharing.nodes[id]?.isFinished != true { problem = "a load was given a result that is not there" }
            loads.append(Load(subscription: SubscriptionID(rawValue: 0), chain: chain, options: options, ends: 1))
        }
    }

    /// Begins a revalidation, unless there is one for the entry.
    private mutating func revalidate(_ name: ResourceKey) {
        let key = JobKey(kind: .revalidation, image: ImageKey(resource: name))
        guard !sharing.contains(key), resource(of: key) == .network else { return }
        let number = loads.count
        guard
            case .began(let id, let subscription) = sharing.subscribe(
                to: key, load: LoadID(rawValue: UInt64(number)), scale: nil, options: .revalidation)
        else { return problem = "a revalidation was joined" }
        works[id] = Work(chain: [key])
        add(Load(subscription: subscription, chain: [key], options: .revalidation), number)
    }

    private mutating func add(_ load: Load, _ number: Int) {
        loads.append(load)
        subscribers[load.subscription] = number
    }

    private mutating func randomLoad() -> Int? { loads.indices.suffix(40).randomElement(using: &random) }

    private mutating func leave() {
        guard let number = randomLoad() else { return }
        let subscription = loads[number].subscription
        let isSubscribed = sharing.subscriptions[subscription] != nil
        if isSubscribed != loads[number].isWaiting { problem = "load \(number) left twice, or was lost" }
        sharing.unsubscribe(subscription)
        loads[number].hasLeft = true
    }

    private mutating func reprioritise() {
        guard let number = randomLoad(), !loads[number].options.isRevalidation else { return }
        let priority = LoadPriority.allCases.randomElement(using: &random)!
        sharing.setPriority(loads[number].subscription, priority)
        loads[number].options.priority = priority
    }

    private mutating func endStoring() {
        guard !storing.isEmpty else { return }
        sharing.endStoring(storing.remove(at: Int.random(in: storing.indices, using: &random)))
    }

    private mutating func claimPreviews() {
        guard
            let id = works.filter({ $0.value.step == .waitsForResult && !$0.value.isStopped }).keys.sorted()
                .randomElement(using: &random)
        else { return }
        if scheduler.claimForPreviews(Int.random(in: 1...12, using: &random), for: id) { works[id]!.holdsPreviews = true }
    }

    /// One piece of work takes its next step.
    private mutating func advance() {
        let ready = works.filter { id, work in
            switch work.step {
            case .waitsForResult, .waitsForSlot: false
            case .begins, .needsSlot, .runs, .ends: true
            }
        }
        guard let id = ready.keys.sorted().randomElement(using: &random), let work = works[id] else { return }
        switch work.step {
        case .waitsForResult, .waitsForSlot: break
        case .ends: finish(id, succeeded: false)
        case .begins:
            guard work.chain.count > 1 else { works[id]!.step = .needsSlot; return }
            needResult(of: Array(work.chain.dropFirst()), id)
        case .needsSlot: requestSlot(id)
        case .runs(let resource):
            // A decode learns what it takes; one that does not fit gives its slot back and waits.
            if resource == .worker, work.bytes == 0 {
                works[id]!.bytes = 1 + work.chain[0].image.description.utf8.reduce(0) { $0 + Int($1) } % 12
                guard scheduler.claim(works[id]!.bytes, for: id) else {
                    scheduler.release(id)
                    works[id]!.step = .needsSlot
                    return
                }
                return
            }
            scheduler.release(id)
            finish(id, succeeded: Int.random(in: 0..<20, using: &random) > 0)
        }
    }

    private mutating func needResult(of chain: [JobKey], _ id: JobID) {
        guard let joining = sharing.subscribe(id, to: chain[0], scale: scale(of: chain[0])) else {
            if !works[id]!.isStopped { problem = "work that is wanted cannot subscribe" }
            works[id]!.step = .ends
            return
        }
        works[id]!.step = .waitsForResult
        switch joining {
        case .began(let upstream, _): works[upstream] = Work(chain: chain)
        case .joined: break
        case .finished(let upstream):
            works[id]!.input = sharing.nodes[upstream]?.key
            works[id]!.step = .needsSlot
        }
    }

    private mutating func requestSlot(_ id: JobID) {
        guard let shared = sharing.nodes[id] else {
            works[id]!.step = .ends
            return
        }
        scheduler.releasePreviews(of: id)
        works[id]!.holdsPreviews = false
        expectInput(of: id)
        let resource = resource(of: shared.key)
        let isGranted = scheduler.request(
            resource, for: id, host: host(of: shared.key), bytes: works[id]!.bytes, rank: shared.rank)
        works[id]!.step = isGranted ? .runs(resource) : .waitsForSlot(resource)
        if isGranted { expectNothingMoreUrgent(than: id, in: resource) }
    }

    private mutating func finish(_ id: JobID, succeeded: Bool) {
        guard let work = works.removeValue(forKey: id) else { return }
        scheduler.releasePreviews(of: id)
        let isWanted = sharing.nodes[id] != nil
        if isWanted == work.isStopped { problem = "\(work.chain[0]) is wanted and stopped, or neither" }
        if isWanted, succeeded, Int.random(in: 0..<3, using: &random) == 0 {
            sharing.beginStoring(id)
            storing.append(id)
        }
        for delivery in sharing.finish(id, succeeded: succeeded) {
            if let dependent = delivery.dependent {
                guard works[dependent]?.step == .waitsForResult else {
                    problem = "\(work.chain[0]) was delivered to work that does not wait"
                    continue
                }
                works[dependent]!.input = work.chain[0]
                works[dependent]!.step = succeeded ? .needsSlot : .ends
            } else if let number = subscribers[delivery.subscription] {
                loads[number].ends += 1
                if loads[number].ends > 1 || loads[number].hasLeft { problem = "load \(number) ended twice" }
                if loads[number].chain[0] != work.chain[0] { problem = "load \(number) got \(work.chain[0])" }
            }
        }
        if !succeeded, !storing.isEmpty { storing.removeAll { $0 == id } }
    }

    // MARK: Effects

    private mutating func settle() {
        let effects = sharing.takeEffects()
        for id in effects.reranked { if let rank = sharing.nodes[id]?.rank { scheduler.setRank(of: id, rank) } }
        for stop in effects.stops { self.stop(stop) }
        scheduler.holdsPrefetches = isConstrained && sharing.awaitedLoads > 0
        for id in scheduler.grant() {
            guard case .waitsForSlot(let resource) = works[id]?.step else {
                problem = "work that does not wait was given a slot"
                continue
            }
            works[id]!.step = .runs(resource)
            expectNothingMoreUrgent(than: id, in: resource)
            if resource == .network, scheduler.holdsPrefetches, rankClass(of: id)?.purpose == .prefetch {
                problem = "\(works[id]!.chain[0]) is prefetched while the network is constrained"
            }
        }
        for id in scheduler.takeEvicted() { works[id]?.holdsPreviews = false }
    }

    private mutating func stop(_ stop: Sharing.Stop) {
        guard let work = works[stop.job] else { return problem = "work that does not run was stopped" }
        scheduler.withdraw(stop.job)
        scheduler.releasePreviews(of: stop.job)
        works[stop.job]!.isStopped = true
        works[stop.job]!.holdsPreviews = false
        switch work.step {
        case .waitsForSlot, .waitsForResult: works[stop.job]!.step = .ends
        case .begins, .needsSlot, .runs, .ends: break
        }
    }

    // MARK: Promises

    private func scale(of key: JobKey) -> DecodeScale? {
        Self.scales.first { $0.map { "s\($0.box.width)" == key.image.variant.text } ?? false } ?? nil
    }

    private func resource(of key: JobKey) -> ResourceClass {
        key.kind == .image ? .worker : key.image.resource.text == "r4" ? .local : .network
    }

    private func host(of key: JobKey) -> String { key.kind == .image ? "" : "h\(key.image.resource.text.utf8.last! % 2)" }

    /// Work runs on the result of exactly the work before it, or a decode on one of at least twice the size.
    private mutating func expectInput(of id: JobID) {
        let (chain, input) = (works[id]!.chain, works[id]!.input)
        guard chain.count > 1 else {
            if input != nil { problem = "\(chain[0]) has an input" }
            return
        }
        if input == chain[1] { return }
        guard let scale = scale(of: chain[0]), let larger = input.flatMap(self.scale), scale.canBeMade(from: larger) else {
            return problem = "\(chain[0]) began on \(input.map { "\($0)" } ?? "nothing")"
        }
    }

    /// Nothing that may use the resource comes before the work that begins. Ranks are counted from the loads
    /// themselves.
    private mutating func expectNothingMoreUrgent(than id: JobID, in resource: ResourceClass) {
        guard let rank = rank(of: id) else { return }
        for (other, work) in works where other != id && work.step == .waitsForSlot(resource) && !work.isStopped {
            guard let otherRank = self.rank(of: other), otherRank > rank, let key = sharing.nodes[other]?.key else { continue }
            let busy = works.values.count { $0.step == .runs(.network) && host(of: $0.chain[0]) == host(of: key) }
            // Of a host with two slots, and of three in total, revalidations use one.
            if resource == .network, busy >= (otherRank.isRevalidation ? 1 : Self.limits.perHost) { continue }
            problem = "\(works[id]!.chain[0]) began before \(work.chain[0])"
        }
    }

    private func rank(of id: JobID) -> QueueRank? {
        guard let work = sharing.nodes[id], let rankClass = rankClass(of: id) else { return nil }
        return QueueRank(rankClass: rankClass, oldest: work.oldest, newest: work.newest)
    }

    /// The highest class of the loads that wait for the work, directly or through other work.
    private func rankClass(of id: JobID) -> RankClass? {
        sharing.subscribers(of: id).compactMap { subscription, value in
            if let dependent = value.dependent { return rankClass(of: dependent) }
            return subscribers[subscription].flatMap { loads[$0].options.rankClass }
        }.max()
    }

    private mutating func check() {
        let live = works.filter { !$0.value.isStopped }
        if Set(live.values.map { $0.chain[0] }).count != live.count { problem = "two pieces of work run for one key" }
        let running = works.values.compactMap { work -> (ResourceClass, String)? in
            if case .runs(let resource) = work.step { (resource, host(of: work.chain[0])) } else { nil }
        }
        let limits = [(ResourceClass.network, Self.limits.fetches), (.local, Self.limits.local), (.worker, Self.limits.workers)]
        for (resource, limit) in limits where running.count(where: { $0.0 == resource }) > limit {
            problem = "\(resource) is over its limit"
        }
        for host in ["h0", "h1"] where running.count(where: { $0 == (.network, host) }) > Self.limits.perHost {
            problem = "a host is over its limit"
        }
        let revalidations = works.values.count { $0.step == .runs(.network) && $0.chain[0].kind == .revalidation }
        if revalidations > 1 { problem = "revalidations use more than half of the slots" }
        if scheduler.runningCount != running.count { problem = "slots leak" }
        let waiting = works.values.count { if case .waitsForSlot = $0.step { true } else { false } }
        if scheduler.queuedCount != waiting { problem = "the queue leaks" }
        for (id, work) in live where rankClass(of: id) == nil { problem = "\(work.chain[0]) runs for no load" }
        let spent = scheduler[.worker].spent
        let claims = works.values.count { $0.bytes > 0 && $0.step == .runs(.worker) || $0.holdsPreviews }
        if claims > 1, spent > Self.limits.bytes { problem = "decodes and previews are over their budget" }
        if claims == 0, spent != 0 { problem = "memory leaks from the budget" }
    }

    /// Lets everything end; nothing may be left.
    private mutating func drain() -> String? {
        scheduler.isPaused = false
        settle()
        // While the network is constrained, what is held back comes when all else has ended.
        var rounds = 0
        while problem == nil, !works.isEmpty || !storing.isEmpty, rounds < 1_000_000 {
            if Bool.random(using: &random) { advance() } else { endStoring() }
            settle()
            check()
            rounds += 1
        }
        if let problem { return problem }
        if let lost = loads.firstIndex(where: \.isWaiting) { return "load \(lost) never ended" }
        guard sharing.nodes.isEmpty, sharing.subscriptions.isEmpty, sharing.stopping.isEmpty, sharing.loads == 0,
            sharing.revalidations == 0, scheduler.queuedCount + scheduler.runningCount == 0
        else { return "something is left behind" }
        return nil
    }
}
