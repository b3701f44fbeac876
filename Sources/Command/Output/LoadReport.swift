internal import ImageCore
internal import ImageTargets

/// The outcome of one source of `calotype load` or `calotype demo`. Holds no pixels.
struct LoadReport: Sendable {
    /// The values of a response that a report prints.
    struct Facts: Sendable {
        /// `memory`, `disk` or `network`. A local source counts as the network, as it always has in the reports.
        let tier: String
        let size: PixelSize
        /// `nil` for a memory cache hit, whose report has neither bytes nor stages.
        let metrics: LoadMetrics?

        init(_ response: ImageResponse) {
            tier = (response.tier == .local ? .network : response.tier).rawValue
            size = response.image.size
            metrics = response.tier == .memory ? nil : response.metrics
        }
    }

    /// The position on the command line, from 0.
    let index: Int
    let source: String
    let result: Result<Facts, LoadFailure>
    /// From the start of the load to its end, as the caller measures it.
    let total: Duration
    /// The file that the image was written to.
    var output: String?

    private var facts: Facts? { try? result.get() }

    /// One JSON object: `source`, `tier`, `status` (`ok` or `failed`), `bytes`, `width`, `height`, `stages` and `total`
    /// in milliseconds, `coalesced`, `output`, `index`, `error`.
    var json: JSON {
        var members: [(name: String, value: JSON)] = [
            ("source", .string(source)), ("tier", .string(facts?.tier)),
            ("status", .string(facts == nil ? "failed" : "ok")), ("bytes", .integer(facts?.metrics?.byteCount)),
            ("width", .integer(facts?.size.width)), ("height", .integer(facts?.size.height)),
            ("stages", .object(stageTimes.map { ($0.stage.rawValue, LoadReport.milliseconds($0.time)) })),
            ("total", LoadReport.milliseconds(total)), ("coalesced", .boolean(facts?.metrics?.isCoalesced ?? false)),
            ("output", .string(output)), ("index", .integer(index)),
        ]
        if case .failure(let failure) = result { members.append(("error", .string(Terminal.sanitized(failure.description)))) }
        return .object(members)
    }

    /// The stages that ran, in order.
    private var stageTimes: [(stage: LoadStage, time: Duration)] {
        guard let metrics = facts?.metrics else { return [] }
        return [
            (.processedCache, metrics.processedCache), (.originalCache, metrics.originalCache), (.network, metrics.network),
            (.decode, metrics.decode), (.process, metrics.process),
        ].filter { $0.1 > .zero }
    }

    /// Milliseconds, rounded to the microsecond.
    private static func milliseconds(_ duration: Duration) -> JSON { .number((duration / .microseconds(1)).rounded() / 1000) }
}

extension LoadReport {
    /// The lines of a table of reports, of which more may follow.
    struct Rows {
        private let stages: [LoadStage]
        private let row: TableRow

        /// - Parameters:
        ///   - sources: the names of all sources, which decide the width of their column.
        ///   - stages: the stages that may run.
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

    /// The columns, each with the width of its usual longest text.
    private static func columns(_ stages: [LoadStage]) -> [(heading: String, alignment: TableRow.Alignment, width: Int)] {
        [("source", .left, 44), ("tier", .left, 7), ("status", .left, 6), ("bytes", .right, 7), ("pixels", .right, 11)]
            + (stages.map(\.heading) + ["total"]).map { ($0, .right, 8) }
    }

    private func cells(_ stages: [LoadStage]) -> [String] {
        let times = Dictionary(uniqueKeysWithValues: stageTimes.map { ($0.stage, Units.time($0.time)) })
        return [
            shortened(source), facts?.tier ?? "", facts == nil ? "failed" : "ok",
            facts?.metrics.map { Units.bytes($0.byteCount) } ?? "", facts?.size.description ?? "",
        ] + stages.map { times[$0] ?? "" } + [Units.time(total)]
    }
}

/// Cuts off the start of a long name, since the end says more.
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
