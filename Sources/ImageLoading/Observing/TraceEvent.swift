internal import ImageCore

/// One event of the Trace Event Format.
struct TraceEvent: Sendable {
    enum Phase: String, Sendable {
        case begin = "b"
        case instant = "n"
        case end = "e"
    }

    /// An arrow from one track to another: "flow events" of version 2 of the format, which bind to the event that carries them.
    enum Flow: Sendable {
        /// Begins at this event, for loads that join this one.
        case out
        /// Ends at this event, and began at the start of that load.
        case from(LoadID)
    }

    enum Argument: Sendable {
        case string(String)
        case number(Int)
        case flag(Bool)
    }

    let load: LoadID
    let processID: Int
    /// Since the trace began.
    let time: Duration
    var name = ""
    var phase = Phase.instant
    var flow: Flow?
    var arguments: [String: Argument] = [:]

    init(load: LoadID, processID: Int, time: Duration) {
        self.load = load
        self.processID = processID
        self.time = time
    }

    /// What became of the load.
    mutating func add(_ result: Result<ImageResponse, LoadFailure>) {
        switch result {
        case .failure(.cancelled): arguments["result"] = .string("cancelled")
        case .failure(.failed(let error)):
            arguments["result"] = .string("failed")
            arguments["error"] = .string(error.code.name)
            if let status = error.status { arguments["status"] = .number(status) }
        case .success(let response):
            arguments["result"] = .string("finished")
            arguments["tier"] = .string(response.tier.rawValue)
            arguments["size"] = .string("\(response.image.size)")
            let metrics = response.metrics
            arguments["bytes"] = .number(metrics.byteCount)
            arguments["coalesced"] = .flag(metrics.isCoalesced)
            if metrics.retries > 0 { arguments["retries"] = .number(metrics.retries) }
        }
    }

    /// The event as one line of JSON (RFC 8259).
    var json: String {
        var text = #"{"name":\#(Self.quoted(name)),"cat":"load","ph":"\#(phase.rawValue)","id":"0x"#
        text += String(load.rawValue, radix: 16)
        text += #"","pid":\#(processID),"tid":1,"ts":\#(microseconds)"#
        switch flow {
        case .out: text += #","bind_id":"0x\#(String(load.rawValue, radix: 16))","flow_out":true"#
        case .from(let other): text += #","bind_id":"0x\#(String(other.rawValue, radix: 16))","flow_in":true"#
        case nil: break
        }
        if !arguments.isEmpty {
            let members = arguments.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)):\($0.value.json)" }
            text += #","args":{\#(members.joined(separator: ","))}"#
        }
        return text + "}"
    }

    /// With three decimals, written by hand: a floating-point number would lose them after some hours.
    private var microseconds: String {
        let (seconds, attoseconds) = time.components
        let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        let rest = String(nanoseconds % 1000)
        return "\(nanoseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }

    fileprivate static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension TraceEvent.Argument {
    fileprivate var json: String {
        switch self {
        case .string(let text): TraceEvent.quoted(text)
        case .number(let number): "\(number)"
        case .flag(let flag): flag ? "true" : "false"
        }
    }
}
