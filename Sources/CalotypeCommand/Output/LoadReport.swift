internal import ImageCore
internal import ImageTargets

/// How one source of `calotype load` or `demo` went.
struct LoadReport: Sendable {
    let source: String
    var result: Result<ImageResponse, LoadFailure>
    /// From the start of the load to its end, as the caller saw it.
    var total: Duration
    /// Where the picture was written.
    var output: String?

    private var response: ImageResponse? { try? result.get() }

    /// One JSON object: `source`, `tier`, `status` (`ok` or `failed`), `bytes`, `width`, `height`, `stages` and `total`
    /// in milliseconds, `coalesced`, `output`, `error`.
    var json: JSONObject {
        var object = JSONObject()
        object["source"] = .string(source)
        object["tier"] = .optional(response?.tier.rawValue)
        object["status"] = .string(response == nil ? "failed" : "ok")
        object["bytes"] = (response?.metrics?.byteCount).map { .integer($0) } ?? .null
        object["width"] = (response?.image.size.width).map { .integer($0) } ?? .null
        object["height"] = (response?.image.size.height).map { .integer($0) } ?? .null
        var stages = JSONObject()
        for (stage, time) in stageTimes { stages[stage.rawValue] = .number(LoadReport.rounded(time)) }
        object["stages"] = .object(stages)
        object["total"] = .number(LoadReport.rounded(total))
        object["coalesced"] = .boolean(response?.metrics?.isCoalesced ?? false)
        object["output"] = .optional(output)
        if case .failure(let failure) = result { object["error"] = .string(Terminal.harmless(failure.description)) }
        return object
    }

    /// The stages that ran, in order.
    var stageTimes: [(stage: LoadStage, time: Duration)] {
        guard let metrics = response?.metrics else { return [] }
        return [
            (.originalCache, metrics.originalCache), (.network, metrics.network), (.decode, metrics.decode),
            (.process, metrics.process),
        ].filter { $0.1 > .zero }
    }

    /// Milliseconds to the microsecond.
    private static func rounded(_ duration: Duration) -> Double { (Units.milliseconds(duration) * 1000).rounded() / 1000 }

    /// The reports as a table with a column for every stage that ran anywhere.
    static func table(_ reports: [LoadReport]) -> String {
        let stages = LoadStage.allCases.filter { stage in reports.contains { $0.stageTimes.contains { $0.stage == stage } } }
        var table = Table(
            [("source", .left), ("tier", .left), ("status", .left), ("bytes", .right), ("pixels", .right)]
                + stages.map { ($0.heading, .right) } + [("total", .right)])
        for report in reports {
            let times = Dictionary(uniqueKeysWithValues: report.stageTimes.map { ($0.stage, Units.time($0.time)) })
            table.add(
                [
                    shortened(report.source), report.response?.tier.rawValue ?? "", report.response == nil ? "failed" : "ok",
                    report.response?.metrics.map { Units.bytes($0.byteCount) } ?? "",
                    report.response?.image.size.description ?? "",
                ] + stages.map { times[$0] ?? "" } + [Units.time(report.total)])
        }
        return table.text
    }

    /// The end of a long name tells more than its start.
    private static func shortened(_ name: String) -> String { name.count > 44 ? "..." + name.suffix(41) : name }
}

extension LoadStage {
    fileprivate var heading: String {
        switch self {
        case .memoryCache: "memory"
        case .processedCache: "processed"
        case .originalCache: "disk"
        default: rawValue
        }
    }
}
