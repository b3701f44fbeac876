import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// One rule, tested with one exchange and a request after it.
struct Row: Sendable, CustomTestStringConvertible {
    /// The decision of the cache.
    enum Verdict: Hashable, Sendable {
        /// Serves the stored response with this `Age`.
        case serve(Int)
        /// Serves it, and validates it in the background.
        case serveAndValidate(Int)
        case validate
        case fetch
        case gatewayTimeout
        /// The response was not stored.
        case notKept
    }

    var rule: String
    var response: [String]
    var request: [String] = []
    var first: [String] = []
    var status = 200
    var after = 0.0
    var policy = HTTPCachePolicy.standard
    var method = HTTPRequest.Method.get
    var verdict: Verdict

    init(
        _ rule: String, _ response: [String] = [], after: Double = 0, asking request: [String] = [], first: [String] = [],
        status: Int = 200, method: HTTPRequest.Method = .get, policy: HTTPCachePolicy = .standard, _ verdict: Verdict
    ) {
        self.rule = rule
        self.response = response
        self.request = request
        self.first = first
        self.status = status
        self.after = after
        self.policy = policy
        self.method = method
        self.verdict = verdict
    }

    var testDescription: String { rule }

    /// The decision about the request after the exchange.
    var outcome: Verdict {
        let stored = Wire.stored(response, status: status, to: first)
        guard policy.allowsStoring(stored, for: Wire.request(first)) else { return .notKept }
        var request = Wire.request(request)
        request.method = method
        switch policy.decision(for: request, stored: stored, now: Wire.start + after) {
        case .serve(let reply): return .serve(reply.age)
        case .serveWhileRevalidating(let reply, _): return .serveAndValidate(reply.age)
        case .revalidate: return .validate
        case .fetch: return .fetch
        case .gatewayTimeout: return .gatewayTimeout
        }
    }
}

/// Messages from text, at a fixed time.
enum Wire {
    /// Tuesday, 14 November 2023, 22:13:20 GMT.
    static let start = 1_700_000_000.0
    static let url = URL(string: "https://example.org/image")!

    /// Header lines; `{60}` becomes the date a minute after the start, `{850:60}` and `{asctime:60}` that date in the
    /// older forms.
    static func fields(_ lines: [String]) -> HTTPFields {
        var fields = HTTPFields()
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            fields.append(HTTPField(name: HTTPField.Name(parts[0])!, value: dated(value)))
        }
        return fields
    }

    static func request(_ lines: [String] = [], url: URL = Wire.url) -> DataRequest {
        DataRequest(url: url, headerFields: fields(lines))
    }

    /// A response with the `Date` of the start, unless the lines have one; `-Date` leaves it out.
    static func head(_ lines: [String], status: Int = 200) -> HTTPResponse {
        var lines = lines
        if !lines.contains(where: { $0.lowercased().hasPrefix("date:") || $0 == "-Date" }) { lines.append("Date: {0}") }
        return HTTPResponse(status: .init(code: status), headerFields: fields(lines.filter { $0 != "-Date" }))
    }

    /// A response that arrived at the start, without a delay.
    static func stored(
        _ lines: [String], status: Int = 200, to request: [String] = [], took: Double = 0, at: Double = start
    ) -> StoredResponse {
        StoredResponse(
            head(lines, status: status), to: Wire.request(request), requestedAt: at - took, receivedAt: at)
    }

    private static func dated(_ value: String) -> String {
        guard let open = value.firstIndex(of: "{"), let close = value.firstIndex(of: "}") else { return value }
        let words = value[value.index(after: open)..<close].split(separator: ":")
        let text = date(start + Double(words[words.count - 1])!, form: words.count > 1 ? String(words[0]) : "")
        return value[..<open] + text + value[value.index(after: close)...]
    }

    /// A date in one of the three forms of RFC 9110, section 5.6.7.
    static func date(_ seconds: Double, form: String = "") -> String {
        let days = Int((seconds / 86_400).rounded(.down))
        let rest = Int(seconds) - days * 86_400
        let long = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"][((days % 7) + 7) % 7]
        var (year, left) = (1970, days)
        func length(_ year: Int) -> Int { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365 }
        while left < 0 { year -= 1; left += length(year) }
        while left >= length(year) { left -= length(year); year += 1 }
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let lengths = [31, length(year) - 337, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var month = 0
        while left >= lengths[month] { left -= lengths[month]; month += 1 }
        func two(_ n: Int) -> String { n < 10 ? "0\(n)" : "\(n)" }
        let day = left + 1
        let time = "\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))"
        switch form {
        case "850": return "\(long), \(two(day))-\(names[month])-\(two(year % 100)) \(time) GMT"
        case "asctime": return "\(long.prefix(3)) \(names[month]) \(day < 10 ? " " : "")\(day) \(time) \(year)"
        default: return "\(long.prefix(3)), \(two(day)) \(names[month]) \(year) \(time) GMT"
        }
    }
}
