internal import ImageCore
internal import ImageNetworking

/// Decides which waiting transfer may start: the highest priority first, hosts in turn, and the oldest of a host, within
/// the limits on connections. It starts nothing itself.
///
/// A host that speaks HTTP/2 carries many transfers over one connection, so it may run more of them.
struct TransferQueue<ID: Hashable>: ~Copyable {
    struct Limits: Equatable {
        /// Connections to one host.
        var perHost: Int
        /// Connections to all hosts.
        var total: Int
        /// Transfers to one host that multiplexes.
        var streamsPerHost: Int
    }

    typealias Host = WebAddress.Origin

    /// What waits for one host: a lane per priority, the highest first.
    private final class Line {
        let host: Host
        var lanes = [Lane<ID>](repeating: Lane(), count: LoadPriority.allCases.count)
        /// The lanes in which something stands, a bit each; and those in whose turns the host stands.
        var waiting: UInt = 0
        var inTurn: UInt = 0
        var active = 0
        /// So many transfers at a time found a connection that was kept from before.
        var kept = 0
        var isMultiplexed = false

        init(_ host: Host) { self.host = host }
    }

    private let limits: Limits
    private var lines: [Host: Line] = [:]
    /// The line that was asked for last: mostly the one that is asked for next.
    private var recent: Line?
    /// Lines with something waiting, per priority, in the order of their turns.
    private var turns = [Lane<Line>](repeating: Lane(), count: LoadPriority.allCases.count)
    private var connections = 0
    /// Transfers that were removed stay in their lane until they come up or are too many.
    private var removed: Set<ID> = []
    private(set) var waitingCount = 0

    init(_ limits: Limits) { self.limits = limits }

    /// Counts a transfer as running that is to start at once, where it would do so anyway: nothing waits, and for `count` of
    /// its kind there is room. Otherwise it is to be added.
    mutating func startsAtOnce(_ host: Host, among count: Int) -> Bool {
        guard waitingCount == 0, connections + count <= limits.total else { return false }
        let line = line(host) ?? newLine(host)
        guard line.active + count <= limits.perHost else { return false }
        setActive(line, line.active + 1)
        return true
    }

    /// Puts a transfer at the end of its lane.
    mutating func add(_ id: ID, host: Host, priority: LoadPriority) {
        let lane = LoadPriority.allCases.count - 1 - priority.rawValue
        let line = line(host) ?? newLine(host)
        line.lanes[lane].append(id)
        line.waiting |= 1 << UInt(lane)
        waitingCount += 1
        takeTurns(line)
    }

    /// Takes a waiting transfer out.
    mutating func remove(_ id: ID) {
        guard waitingCount > 0, removed.insert(id).inserted, removed.count > 32, removed.count > waitingCount / 2 else { return }
        for line in lines.values {
            for lane in line.lanes.indices {
                line.lanes[lane].drop { removed.contains($0) }
                if line.lanes[lane].first == nil { line.waiting &= ~(1 << UInt(lane)) }
            }
        }
        removed = []
        waitingCount = lines.values.reduce(0) { sum, line in sum + line.lanes.reduce(0) { $0 + $1.count } }
    }

    /// The next transfer to start, counted as running; `nil` when none may.
    mutating func next() -> ID? {
        for lane in turns.indices {
            while let line = turns[lane].first {
                let isFull = line.active >= (line.isMultiplexed ? limits.streamsPerHost : limits.perHost)
                if !isFull, line.active < limits.perHost, connections >= limits.total { return nil }
                turns[lane].removeFirst()
                line.inTurn &= ~(1 << UInt(lane))
                // A full host gets its next turn when a transfer of it ends.
                if isFull { continue }
                let id = pop(line, lane)
                takeTurns(line)
                if let id {
                    setActive(line, line.active + 1)
                    return id
                }
                forget(line)
            }
        }
        return nil
    }

    /// Whether a transfer of the host, which is counted as running, should find a connection that is kept from before. It is a
    /// guess: a server may have closed it.
    mutating func expectsConnection(_ host: Host) -> Bool {
        guard let line = line(host) else { return false }
        return line.active <= line.kept
    }

    /// The guess was wrong.
    mutating func missedConnection(_ host: Host) { line(host)?.kept = 0 }

    /// A transfer that ``next()`` returned is over, or goes on elsewhere. `hasFoundConnection` says whether it found one that was
    /// kept, and left it.
    mutating func finished(_ host: Host, hasFoundConnection: Bool = false) {
        guard let line = line(host) else { return }
        if hasFoundConnection, line.kept < line.active { line.kept = line.active }
        setActive(line, line.active - 1)
        takeTurns(line)
        forget(line)
    }

    /// The host turned out to multiplex.
    mutating func multiplexes(_ host: Host) {
        guard let line = line(host), !line.isMultiplexed else { return }
        line.isMultiplexed = true
        takeTurns(line)
    }

    /// Everything that waits, in no particular order.
    mutating func removeAll() -> [ID] {
        let all = lines.values.flatMap { line in line.lanes.flatMap { $0.rest.filter { !removed.contains($0) } } }
        for line in lines.values { (line.lanes, line.waiting) = (line.lanes.map { _ in Lane() }, 0) }
        removed = []
        waitingCount = 0
        return all
    }

    /// How many hosts it remembers.
    var hostCount: Int { lines.count }

    private mutating func line(_ host: Host) -> Line? {
        if let recent, recent.host == host { return recent }
        let line = lines[host]
        if line != nil { recent = line }
        return line
    }

    private mutating func newLine(_ host: Host) -> Line {
        let line = Line(host)
        (lines[host], recent) = (line, line)
        return line
    }

    /// Transfers beyond the limit of connections share the connections there are.
    private mutating func setActive(_ line: Line, _ active: Int) {
        connections += min(active, limits.perHost) - min(line.active, limits.perHost)
        line.active = active
    }

    private mutating func pop(_ line: Line, _ lane: Int) -> ID? {
        while let id = line.lanes[lane].removeFirst() {
            waitingCount -= 1
            let isWanted = removed.isEmpty || removed.remove(id) == nil
            // What never stood here is not kept for ever.
            if waitingCount == 0, !removed.isEmpty { removed = [] }
            if isWanted {
                if line.lanes[lane].first == nil { line.waiting &= ~(1 << UInt(lane)) }
                return id
            }
        }
        line.waiting &= ~(1 << UInt(lane))
        return nil
    }

    private mutating func takeTurns(_ line: Line) {
        guard line.waiting & ~line.inTurn != 0 else { return }
        for lane in turns.indices where (line.waiting & ~line.inTurn) >> UInt(lane) & 1 == 1 { turns[lane].append(line) }
        line.inTurn |= line.waiting
    }

    /// A host of which nothing runs or waits takes no memory, but a few are remembered to multiplex.
    private mutating func forget(_ line: Line) {
        guard line.active == 0, line.inTurn == 0, !line.isMultiplexed || lines.count > 256 else { return }
        lines[line.host] = nil
        if recent === line { recent = nil }
    }
}

/// First in, first out, in constant time.
struct Lane<Element> {
    private var items: [Element] = []
    private var head = 0

    var count: Int { items.count - head }
    var first: Element? { head < items.count ? items[head] : nil }
    var rest: ArraySlice<Element> { items[head...] }

    mutating func append(_ element: Element) { items.append(element) }

    @discardableResult
    mutating func removeFirst() -> Element? {
        guard head < items.count else { return nil }
        let element = items[head]
        head += 1
        // What was taken is cleared away in one go, when it is at least half.
        if head == items.count || head >= 64 && head * 2 >= items.count {
            items.removeFirst(head)
            head = 0
        }
        return element
    }

    mutating func drop(where isUnwanted: (Element) -> Bool) {
        items = items[head...].filter { !isUnwanted($0) }
        head = 0
    }
}
