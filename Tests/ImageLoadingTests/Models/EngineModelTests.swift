import CalotypeTesting
import Foundation
import HTTPTypes
import ImageCore
import ImageLoading
import Testing

/// Random programs run against a whole loader whose plug-ins follow a script, and checked against what each load must
/// come to: starts, cancels, changes of priority, pauses, an emptied memory cache, fallback sources, low-resolution
/// versions, previews, attempts that fail, and deadlines.
@Suite(.timeLimit(.minutes(5))) struct EngineModel {
    /// `CALOTYPE_MODEL_STEPS` sets the steps of all programs together, as for ``Model``, whose standard is higher.
    private static let steps = ProcessInfo.processInfo.environment["CALOTYPE_MODEL_STEPS"].flatMap(Int.init) ?? 6_000

    private static var seed: UInt64? { ProcessInfo.processInfo.environment["CALOTYPE_MODEL_SEED"].flatMap(UInt64.init) }

    @Test func randomProgramsAgainstTheWholeEngineKeepEveryPromise() async throws {
        for seed in Self.seed.map({ [$0] }) ?? (0..<UInt64(max(1, Self.steps / 500))).map({ $0 }) {
            if let problem = await EngineProgram(seed: seed).run(steps: 500) {
                Issue.record("seed \(seed): \(problem)")
                return
            }
        }
    }

    /// Loads begin, leave and change while the loader is paused; then one fetch at a time shows their order.
    @Test func fetchesBeginWithTheHighestRankWhateverChangedBefore() async throws {
        for seed in Self.seed.map({ [$0] }) ?? (0..<UInt64(max(1, Self.steps / 200))).map({ $0 }) {
            let (order, expected) = try await QueueProgram(seed: seed).run(steps: 60)
            guard order == expected else {
                Issue.record("seed \(seed): \(order) instead of \(expected)")
                return
            }
        }
    }
}

/// One paused loader with one slot, and the loads of one program.
private struct QueueProgram {
    private struct Load {
        let task: ImageTask
        let name: String
        let purpose: LoadPurpose
        var priority: LoadPriority
        let number: Int
        /// The number of the load that began the work which this one waits for.
        let oldest: Int
        var isCancelled = false
        /// Whether it was a view on screen at any time.
        var wasOnScreen = false

        var isOnScreen: Bool { purpose == .view && priority != .veryLow }
    }

    let seed: UInt64

    /// - Returns: the order in which fetches began, and the order in which they should.
    func run(steps: Int) async throws -> ([String], [String]) {
        var random = SeededGenerator(seed: seed)
        let bench = Bench {
            $0.limits.fetches = 1
            $0.dataCache = nil
        }
        bench.loader.isPaused = true
        var loads: [Load] = []
        for step in 0..<steps {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6: loads.append(start(step, bench, loads, &random))
            case 6..<8:
                guard let index = loads.indices.randomElement(using: &random) else { continue }
                loads[index].task.cancel()
                loads[index].isCancelled = true
            default:
                guard let index = loads.indices.filter({ !loads[$0].isCancelled }).randomElement(using: &random) else { continue }
                loads[index].priority = LoadPriority.allCases.randomElement(using: &random) ?? .normal
                loads[index].task.priority = loads[index].priority
                if loads[index].isOnScreen { loads[index].wasOnScreen = true }
            }
        }
        let waiting = loads.filter { !$0.isCancelled }
        let names = Set(waiting.map(\.name))
        while bench.loader.activity.queued < names.count || bench.loader.activity.work > 2 * names.count { await Task.yield() }
        bench.loader.isPaused = false
        for load in waiting { _ = try await load.task.response }
        return (bench.network.requests.map(\.url.lastPathComponent), order(of: loads))
    }

    private func start(_ step: Int, _ bench: Bench, _ loads: [Load], _ random: inout SeededGenerator) -> Load {
        let name = "\(Int.random(in: 0..<12, using: &random))"
        let purpose = LoadPurpose.allCases.randomElement(using: &random) ?? .plain
        let priority = LoadPriority.allCases.randomElement(using: &random) ?? .normal
        var request = ImageRequest(.url(url(name)), purpose: purpose)
        request.options.priority = priority
        let joined = loads.first { $0.name == name && !$0.isCancelled }
        var load = Load(
            task: bench.loader.task(for: request), name: name, purpose: purpose, priority: priority, number: step,
            oldest: joined?.oldest ?? step)
        load.wasOnScreen = load.isOnScreen
        return load
    }

    /// FEATURES 2.6, from the loads themselves: views, the newest first; plain loads by priority, the oldest first;
    /// prefetches. A view of the lowest priority is off screen, and counts as a plain load. Work is as old as the load
    /// that began it, and as new as its newest view, even where they have left.
    private func order(of loads: [Load]) -> [String] {
        struct Rank: Comparable {
            let group: Int
            let order: Int
            static func < (a: Self, b: Self) -> Bool { (a.group, a.order) < (b.group, b.order) }
        }
        let works = Dictionary(grouping: loads, by: \.name).compactMapValues { loads -> [Load]? in
            loads.last { !$0.isCancelled }.map { last in loads.filter { $0.oldest == last.oldest } }
        }
        let ranks = works.mapValues { all in
            let waiting = all.filter { !$0.isCancelled }
            if waiting.contains(where: \.isOnScreen) {
                return Rank(group: 0, order: -(all.filter(\.wasOnScreen).map(\.number).max() ?? 0))
            }
            let highest = waiting.filter { $0.purpose != .prefetch }.map(\.priority.rawValue).max()
            return Rank(group: highest.map { 10 - $0 } ?? 100, order: all[0].oldest)
        }
        return ranks.keys.sorted { ranks[$0]! < ranks[$1]! }
    }
}
