internal import ImageCore

/// One event of the Trace Event Format, under the names that the format gives its fields.
struct TraceEvent: Encodable, Sendable {
    enum Phase: String, Encodable, Sendable {
        case begin = "b"
        case instant = "n"
        case end = "e"
    }

    /// What an event says besides its name.
    struct Arguments: Encodable, Sendable {
        var purpose, error, result, tier, size: String?
        var load, received, expected, status, bytes, retries: Int?
        var coalesced: Bool?
    }

    private enum CodingKeys: String, CodingKey {
        case name, category = "cat", phase = "ph", id, processID = "pid", threadID = "tid", microseconds = "ts"
        case boundID = "bind_id", flowsOut = "flow_out", flowsIn = "flow_in", arguments = "args"
    }

    var name = ""
    private let category = "load"
    var phase = Phase.instant
    private let id: String
    private let processID: Int
    private let threadID = 1
    /// Since the trace began.
    private let microseconds: Double
    /// The load at which an arrow begins ("flow events" of version 2 of the format).
    private var boundID: String?
    private var flowsOut: Bool?
    private var flowsIn: Bool?
    var arguments: Arguments?

    init(load: LoadID, processID: Int, time: Duration) {
        id = Self.text(load)
        self.processID = processID
        microseconds = time / .microseconds(1)
    }

    private static func text(_ load: LoadID) -> String { "0x" + String(load.rawValue, radix: 16) }

    /// Arrows may begin at this event, for loads that join this one.
    mutating func beginFlows() { (boundID, flowsOut) = (id, true) }

    /// An arrow that began at the start of that load ends here.
    mutating func endFlow(from other: LoadID) { (boundID, flowsIn) = (Self.text(other), true) }

    /// Adds the result of the load.
    mutating func add(_ result: Result<LoadSummary, LoadFailure>) {
        switch result {
        case .failure(.cancelled): arguments = Arguments(result: "cancelled")
        case .failure(.failed(let error)):
            arguments = Arguments(error: error.code.name, result: "failed", status: error.status)
        case .success(let summary):
            let metrics = summary.metrics
            arguments = Arguments(
                result: "finished", tier: summary.tier.rawValue, size: summary.image.map { "\($0.size)" },
                bytes: metrics.byteCount,
                retries: metrics.retries > 0 ? metrics.retries : nil, coalesced: metrics.isCoalesced)
        }
    }

    /// The event as one line of JSON.
    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}
