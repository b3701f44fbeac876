import CalotypeTesting
import Foundation
import ImageCore
import Testing

@testable import ImageLoading

/// Random programs run against the graph, with a simulated engine that carries actions out late and in any order, and
/// checked against what a reader of the rules would expect at every step.
@Suite struct Model {
    /// Steps per seed and number of seeds; `CALOTYPE_MODEL_STEPS` sets the total for a longer run, and
    /// `CALOTYPE_MODEL_SEED` repeats one seed.
    @Test func randomProgramsKeepEveryPromise() throws {
        let environment = ProcessInfo.processInfo.environment
        let total = environment["CALOTYPE_MODEL_STEPS"].flatMap(Int.init) ?? 120_000
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
        }
    }
}

private struct Simulation {
    typealias Graph = LoadGraph<Int, WorkKey, String>

    struct Load {
        let ticket: LoadTicket
        let wanted: WorkKey
        let chain: [WorkKey]
        let wantsPreviews: Bool
        var ends = 0
        var hasLeft = false
    }

    struct Step {
        let key: WorkKey
        let resource: ResourceClass
        let input: String?
        let token: CancellationToken
    }

    /// Of decodes: none, or one of three sizes, each of which can be made of the next.
    static let scales: [DecodeScale?] = [
        nil, DecodeScale(family: "", box: PixelSize(width: 1, height: 1)),
        DecodeScale(family: "", box: PixelSize(width: 2, height: 2)),
        DecodeScale(family: "", box: PixelSize(width: 4, height: 4)),
    ]

    static let limits = (fetches: 3, perHost: 2, local: 2, workers: 3, bytes: 10)

    var random: SeededGenerator
    var graph = Graph(
        fetches: limits.fetches, fetchesPerHost: limits.perHost, localReads: limits.local, workers: limits.workers,
        decodingBytes: limits.bytes)
    var loads: [Int: Load] = [:]
    var running: [NodeID: Step] = [:]
    var storing: [NodeID] = []
    /// What running steps have claimed.
    var claimed: [NodeID: Int] = [:]
    /// Nodes of which a preview may be reported.
    var shows: [NodeID] = []
    var nextLoad = 0
    var problem: String?

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func run(steps: Int) -> String? {
        for step in 0..<steps {
            act()
            check()
            if let problem { return "step \(step): \(problem)" }
        }
        return drain()
    }

    // MARK: Events

    private mutating func act() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30: join()
        case 30..<45: leave()
        case 45..<52: reprioritise()
        case 52..<53: graph.setPaused(Bool.random(using: &random))
        case 53..<54: graph.setConstrained(Bool.random(using: &random))
        case 54..<60: storeFinished()
        case 60..<65: report()
        case 65..<70: preview()
        default: finishStep()
        }
        execute()
    }

    private mutating func join() {
        let name = ResourceKey("r\(Int.random(in: 0..<5, using: &random))")
        let isLocal = name.text == "r4"
        let lists: [[String]] = [[], ["a"], ["a", "b"], ["b"], ["a", "c"]]
        let scale = Self.scales.randomElement(using: &random)!
        var variant = scale.map { "s\($0.box.width)" } ?? ""
        var links: [WorkLink<WorkKey>] = []
        func link(_ kind: WorkKey.Kind, _ variant: String, _ resource: ResourceClass, group: String = "") -> WorkLink<WorkKey> {
            let key = WorkKey(kind: kind, image: ImageKey(resource: name, variant: variant))
            return WorkLink(key: key, work: key, resource: resource, group: group)
        }
        links.append(link(.original, "", isLocal ? .local : .diskCache, group: "h\(name.text.utf8.last! % 2)"))
        links.append(link(.image, variant, .worker))
        links[links.count - 1].scale = scale
        for name in lists.randomElement(using: &random)! {
            variant += "|" + name
            links.append(link(.image, variant, .worker))
        }
        links.reverse()
        // A load that brings its own start may still join work that has to begin further back.
        let chain = links.map(\.key)
        // Now and then a prefix is at hand, and the chain ends there.
        var input: String?
        if links.count > 2, Int.random(in: 0..<10, using: &random) == 0 {
            let cut = Int.random(in: 1..<links.count - 1, using: &random)
            input = value(of: links[cut].key)
            links.removeSubrange(cut...)
        }
        let options = SubscriberOptions(
            rankClass: RankClass(
                LoadPurpose.allCases.randomElement(using: &random)!, LoadPriority.allCases.randomElement(using: &random)!),
            writesMemory: Bool.random(using: &random), writesDisk: Bool.random(using: &random),
            wantsProgress: Bool.random(using: &random), previews: PreviewPolicy.allCases.randomElement(using: &random)!)
        nextLoad += 1
        let ticket = graph.join(nextLoad, chain: links, input: input, options: options)
        loads[nextLoad] = Load(
            ticket: ticket, wanted: links[0].key, chain: chain, wantsPreviews: options.previews != .none)
    }

    private mutating func leave() {
        guard let id = loads.keys.sorted().randomElement(using: &random) else { return }
        let isWaiting = loads[id]!.ends == 0 && !loads[id]!.hasLeft
        if graph.leave(loads[id]!.ticket) != isWaiting { problem = "load \(id) left twice, or was lost" }
        loads[id]!.hasLeft = true
    }

    private mutating func reprioritise() {
        guard let id = loads.keys.sorted().randomElement(using: &random) else { return }
        graph.setPriority(loads[id]!.ticket, LoadPriority.allCases.randomElement(using: &random)!)
    }

    private mutating func storeFinished() {
        guard !storing.isEmpty else { return }
        graph.storeFinished(storing.remove(at: Int.random(in: storing.indices, using: &random)))
    }

    private func stable(_ id: NodeID) -> String { "\(id)" }

    private mutating func randomStep() -> (NodeID, Step)? {
        running.sorted { stable($0.key) < stable($1.key) }.randomElement(using: &random).map { ($0.key, $0.value) }
    }

    private mutating func report() {
        guard let (id, _) = randomStep() else { return }
        graph.report(LoadProgress(received: 1, expected: 2), from: id)
    }

    /// A preview is reported, now and then of a node that is gone.
    private mutating func preview() {
        guard let id = shows.randomElement(using: &random) else { return }
        if Int.random(in: 0..<4, using: &random) == 0 { shows.removeAll { $0 == id } }
        if Bool.random(using: &random) { _ = graph.claimForPreviews(id, bytes: Int.random(in: 1...12, using: &random)) }
        graph.preview(id, "preview", CancellationToken())
    }

    private mutating func finishStep() {
        guard let (id, step) = randomStep() else { return }
        running[id] = nil
        let isImage = step.key.kind == .image
        // A decode learns what it takes; one that does not fit has to come back.
        if isImage, claimed[id] == nil {
            let cost = cost(of: step.key)
            guard graph.claim(id, bytes: cost) || step.token.isCancelled else { return }
            if graph.nodes.contains(id), graph.nodes[id].spent > 0, Bool.random(using: &random) {
                claimed[id] = cost
                running[id] = step
                return
            }
        }
        claimed[id] = nil
        switch Int.random(in: 0..<20, using: &random) {
        case 0: graph.finish(id, .failure(.failed(ImageError(.corrupt, message: "no"))))
        case 1 where isImage && step.input == "stale": graph.retryUpstream(of: id, with: .network, otherwise: .cancelled)
        case 2..<10 where step.resource == .diskCache: graph.advance(id, to: .network)
        default:
            if step.input == "stale" { return graph.retryUpstream(of: id, with: .network, otherwise: .cancelled) }
            let isStale = step.resource == .diskCache && Int.random(in: 0..<4, using: &random) == 0
            graph.finish(
                id, .success(isStale ? "stale" : value(of: step.key)),
                retention: isImage ? .now : step.resource == .network ? .whenProven : .never)
        }
    }

    /// From 1 to 12 bytes, so that the largest are beyond the budget.
    private func cost(of key: WorkKey) -> Int { 1 + key.image.description.utf8.reduce(0) { $0 + Int($1) } % 12 }

    // MARK: Actions

    private mutating func execute() {
        for action in graph.takeActions() {
            switch action {
            case .run(let id, let key, let resource, let input, _, let token, let hasMemoryReservation):
                if running[id] != nil { problem = "\(key) runs twice" }
                running[id] = Step(key: key, resource: resource, input: input, token: token)
                if hasMemoryReservation { claimed[id] = cost(of: key) }
                expect(input, of: key)
                expectNothingMoreUrgent(than: id, in: resource)
                if resource == .network, graph.isConstrained, isAnythingAwaited, rank(of: id).rankClass.purpose == .prefetch {
                    problem = "\(key) is fetched ahead while the network is spared"
                }
            case .stop(let token): token.cancel()
            case .store(let id, let key, _, let value, _, _):
                if value != self.value(of: key) { problem = "\(value) was stored for \(key)" }
                storing.append(id)
            case .progress(let load, _):
                if loads[load]!.ends > 0 || loads[load]!.hasLeft { problem = "progress after the end of load \(load)" }
            case .appendPartialData(let id, let key, let policy):
                if policy == .none || key.kind != .image { problem = "\(key) got partial data in vain" }
                shows.append(id)
            case .processPreview(let id, _, let value, _):
                if value != "preview" { problem = "\(value) was processed as a preview" }
                shows.append(id)
            case .preview(let load, let value):
                if value != "preview" { problem = "\(value) was shown as a preview" }
                if !loads[load]!.wantsPreviews { problem = "load \(load) never asked for previews" }
                if loads[load]!.ends > 0 || loads[load]!.hasLeft { problem = "a preview after the end of load \(load)" }
            case .endPartialData: break
            case .keepPreview(let key, let value):
                if value != "preview" || key.kind != .image { problem = "\(value) was kept of \(key)" }
            case .deliver(let load, let result, _):
                loads[load]!.ends += 1
                if loads[load]!.ends > 1 || loads[load]!.hasLeft { problem = "load \(load) ended twice" }
                if case .success(let value) = result, value != self.value(of: loads[load]!.wanted) {
                    problem = "load \(load) got \(value)"
                }
            }
        }
    }

    /// Whether a load that is no prefetch has not ended.
    private var isAnythingAwaited: Bool {
        graph.loads.values.contains { $0.options.rankClass.purpose != .prefetch }
    }

    private func value(of key: WorkKey) -> String { "\(key.kind)/\(key.image)" }

    /// Of what waits for the resource, and is not held back by its host, nothing comes before the step that begins. Ranks are
    /// counted anew from the loads themselves.
    private mutating func expectNothingMoreUrgent(than id: NodeID, in resource: ResourceClass) {
        let rank = rank(of: id)
        for other in graph.nodes.ids {
            guard case .queued(resource) = graph.nodes[other].state, self.rank(of: other) > rank else { continue }
            let group = graph.nodes[other].group
            let busy = graph.nodes.ids.count { node in
                switch graph.nodes[node].state {
                case .running(resource, _), .stopping(resource): graph.nodes[node].group == group
                default: false
                }
            }
            if resource == .network, busy >= Self.limits.perHost { continue }
            problem = "\(graph.nodes[id].key) began before \(graph.nodes[other].key)"
        }
    }

    private func rank(of id: NodeID) -> QueueRank {
        QueueRank(
            rankClass: highestClass(of: id) ?? RankClass(rawValue: 0), oldest: graph.nodes[id].oldest,
            newest: graph.nodes[id].newest)
    }

    private func highestClass(of id: NodeID) -> RankClass? {
        let classes = graph.nodes[id].loads.compactMap { graph.loads[$0]?.options.rankClass }
        return (classes + graph.nodes[id].dependents.compactMap(highestClass)).max()
    }

    /// Work runs on the result of exactly the work before it.
    private mutating func expect(_ input: String?, of key: WorkKey) {
        guard key.kind == .image else {
            if input != nil { problem = "\(key) has an input" }
            return
        }
        let variant = key.image.variant
        let before =
            if let bar = variant.lastIndex(of: "|") {
                WorkKey(kind: .image, image: ImageKey(resource: key.image.resource, variant: String(variant[..<bar])))
            } else {
                WorkKey(kind: .original, image: ImageKey(resource: key.image.resource))
            }
        if input == value(of: before) || input == "stale" && before.kind == .original { return }
        // A decode to a size may run on one that is at least twice as large.
        let larger = [1, 2, 4].filter { variant.hasPrefix("s") && $0 >= 2 * (Int(variant.dropFirst()) ?? .max) }
            .map { WorkKey(kind: .image, image: ImageKey(resource: key.image.resource, variant: "s\($0)")) }
        if before.kind != .original || !larger.contains(where: { value(of: $0) == input }) {
            problem = "\(key) began on \(input ?? "nothing")"
        }
    }

    // MARK: Promises

    private mutating func check() {
        let live = running.values.filter { !$0.token.isCancelled }
        let keys = live.map(\.key)
        if Set(keys).count != keys.count { problem = "two steps run for one identity" }
        let limits = [(ResourceClass.network, Self.limits.fetches), (.local, Self.limits.local), (.worker, Self.limits.workers)]
        for (resource, limit) in limits {
            if running.values.count(where: { $0.resource == resource }) > limit { problem = "\(resource) is over its limit" }
        }
        let hosts = Dictionary(grouping: running.values.filter { $0.resource == .network }) {
            $0.key.image.resource.text.utf8.last! % 2
        }
        if hosts.values.contains(where: { $0.count > Self.limits.perHost }) { problem = "a host is over its limit" }
        let wanted = Set(loads.values.filter { $0.ends == 0 && !$0.hasLeft }.flatMap(\.chain))
        let shared = Set(loads.values.filter { $0.ends == 0 && !$0.hasLeft }.flatMap { larger($0) })
        if let orphan = keys.first(where: { !wanted.contains($0) && !shared.contains($0) }) {
            problem = "\(orphan) runs for nobody"
        }
        if claimed.count > 1, claimed.values.reduce(0, +) > Self.limits.bytes { problem = "decodes are over their budget" }
        if graph.counts.running != running.count { problem = "slots leak" }
        let costs = graph.nodes.ids.map { graph.nodes[$0].spent + graph.nodes[$0].previewCost }.filter { $0 > 0 }
        let spent = graph.queues[.worker].spent
        if spent != costs.reduce(0, +) { problem = "memory leaks from the budget" }
        if costs.count > 1, spent > Self.limits.bytes { problem = "decodes and previews are over their budget" }
    }

    /// The decode to a larger size that a waiting load's own depends on.
    private func larger(_ load: Load) -> [WorkKey] {
        var next = graph.loads[load.ticket]?.node
        while let id = next, let upstream = graph.nodes[id].upstream {
            if graph.nodes[id].scale != nil, graph.nodes[upstream].scale != nil { return [graph.nodes[upstream].key] }
            next = upstream
        }
        return []
    }

    /// Lets everything end; nothing may be left.
    private mutating func drain() -> String? {
        graph.setPaused(false)
        execute()
        // With the network still spared, what is held back comes when all else has ended.
        var rounds = 0
        while problem == nil, !running.isEmpty || !storing.isEmpty, rounds < 1_000_000 {
            if Bool.random(using: &random) { finishStep() } else { storeFinished() }
            execute()
            check()
            rounds += 1
        }
        if let problem { return problem }
        if let lost = loads.first(where: { $0.value.ends == 0 && !$0.value.hasLeft }) { return "load \(lost.key) never ended" }
        let counts = graph.counts
        return counts == (0, 0, 0, 0) ? nil : "left behind: \(counts)"
    }
}
