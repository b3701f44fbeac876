internal import ImageCore
internal import ImageTargets

/// How one source of `calotype load` or `demo` went. Holds no pixels.
struct LoadReport: Sendable {
    /// What a report keeps of a response.
    struct Facts: Sendable {
        let tier: CacheTier
        let size: PixelSize
        /// `nil` for a memory cache hit: the report then gives no bytes, and no stages.
        let metrics: LoadMetrics?

        init(_ response: ImageResponse) {
            (tier, size) = (response.tier, response.image.size)
            metrics = tier == .memory ? nil : response.metrics
        }
    }

    /// The place on the command line, from 0.
    let index: Int
    let source: String
    let result: Result<Facts, LoadFailure>
    /// From the start of the load to its end, as the caller saw it.
    let total: Duration
    /// Where the image was written.
    var output: String?

    private var facts: Facts? { try? result.get() }

    /// One JSON object: `source`, `tier`, `status` (`ok` or `failed`), `bytes`, `width`, `height`, `stages` and `total`
    /// in milliseconds, `coalesced`, `output`, `index`, `error`.
    var json: JSONObject {
        var object = JSONObject()
        object["source"] = .string(source)
        object["tier"] = .optional(facts?.tier.rawValue)
        object["status"] = .string(facts == nil ? "failed" : "ok")
        object["bytes"] = (facts?.metrics?.byteCount).map { .integer($0) } ?? .null
        object["width"] = (facts?.size.width).map { .integer($0) } ?? .null
        object["height"] = (facts?.size.height).map { .integer($0) } ?? .null
        var stages = JSONObject()
        for (stage, time) in stageTimes { stages[stage.rawValue] = .number(LoadReport.rounded(time)) }
        object["stages"] = .object(stages)
        object["total"] = .number(LoadReport.rounded(total))
        object["coalesced"] = .boolean(facts?.metrics?.isCoalesced ?? false)
        object["output"] = .optional(output)
        object["index"] = .integer(index)
        if case .failure(let failure) = result { object["error"] = .string(Terminal.sanitized(failure.description)) }
        return object
    }

    /// The stages that ran, in order.
    private var stageTimes: [(stage: LoadStage, time: Duration)] {
        guard let metrics = facts?.metrics else { return [] }
        return [
            (.processedCache, metrics.processedCache), (.originalCache, metrics.originalCache), (.network, metrics.network),
            (.decode, metrics.decode),
            (.process, metrics.process),
        ].filter { $0.1 > .zero }
    }

    /// Milliseconds to the microsecond.
    private static func rounded(_ duration: Duration) -> Double { (Units.milliseconds(duration) * 1000).rounded() / 1000 }
}

extension LoadReport {
    /// The reports as a table with a column for every stage that ran anywhere.
    static func table(_ reports: [LoadReport]) -> String {
        let stages = LoadStage.allCases.filter { stage in reports.contains { $0.stageTimes.contains { $0.stage == stage } } }
        var table = Table(columns(stages).map { ($0.heading, $0.alignment) })
        for report in reports { table.add(report.cells(stages)) }
        return table.text
    }

    /// The same table for reports that are not known yet: its lines are printed one by one.
    struct Rows {
        private let stages: [LoadStage]
        private let row: TableRow

        /// - Parameters:
        ///   - sources: the names that will come.
        ///   - stages: those that may run.
        init(sources: some Sequence<String>, stages: [LoadStage]) {
            self.stages = stages
            let width = sources.lazy.map { shortened($0).count }.max() ?? 0
            row = TableRow(
                LoadReport.columns(stages).map { column in
                    (column.alignment, max(column.heading.count, column.heading == "source" ? width : column.width))
                })
        }

        var heading: String { row.line(LoadReport.columns(stages).map(\.heading)) }

        func line(_ report: LoadReport) -> String { row.line(report.cells(stages).map(Terminal.sanitized)) }
    }

    /// The columns, each with the width of the longest text that is usual in it.
    private static func columns(_ stages: [LoadStage]) -> [(heading: String, alignment: Table.Alignment, width: Int)] {
        [("source", .left, 44), ("tier", .left, 7), ("status", .left, 6), ("bytes", .right, 7), ("pixels", .right, 11)]
            + (stages.map(\.heading) + ["total"]).map { ($0, .right, 8) }
    }

    private func cells(_ stages: [LoadStage]) -> [String] {
        let times = Dictionary(uniqueKeysWithValues: stageTimes.map { ($0.stage, Units.time($0.time)) })
        return [
            shortened(source), facts?.tier.rawValue ?? "", facts == nil ? "failed" : "ok",
            facts?.metrics.map { Units.bytes($0.byteCount) } ?? "", facts?.size.description ?? "",
        ] + stages.map { times[$0] ?? "" } + [Units.time(total)]
    }
}

/// The end of a long name says more than its start.
private func shortened(_ name: String) -> String { name.count > 44 ? "..." + name.suffix(41) : name }

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
