internal import ImageCore

/// One event of the Trace Event Format, under the names that the format gives its fields.
struct TraceEvent: Encodable, Sendable {
    enum Phase: String, Encodable, Sendable {
        case begin = "b"
        case instant = "n"
        case end = "e"
    }

    enum Argument: Encodable, Sendable {
        case string(String)
        case number(Int)
        case flag(Bool)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .string(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            case .flag(let flag): try container.encode(flag)
            }
        }
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
    private(set) var arguments: [String: Argument]?

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

    mutating func set(_ name: String, _ argument: Argument) { arguments = (arguments ?? [:]).merging([name: argument]) { $1 } }

    /// Adds the result of the load.
    mutating func add(_ result: Result<LoadSummary, LoadFailure>) {
        switch result {
        case .failure(.cancelled): set("result", .string("cancelled"))
        case .failure(.failed(let error)):
            set("result", .string("failed"))
            set("error", .string(error.code.name))
            if let status = error.status { set("status", .number(status)) }
        case .success(let summary):
            set("result", .string("finished"))
            set("tier", .string(summary.tier.rawValue))
            if let image = summary.image { set("size", .string("\(image.size)")) }
            set("bytes", .number(summary.metrics.byteCount))
            set("coalesced", .flag(summary.metrics.isCoalesced))
            if summary.metrics.retries > 0 { set("retries", .number(summary.metrics.retries)) }
        }
    }

    /// The event as one line of JSON.
    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}
