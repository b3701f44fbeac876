import Calotype
import Foundation

/// The numbers of the lab over the last minute, as plots.
package struct Samples: Sendable {
    /// How many moments are kept: a minute, of four each second.
    package static let limit = 240

    /// A plot of one or two lines over time.
    package struct Plot: Sendable {
        package let title: String
        package let lines: [(name: String, values: [Double])]
        /// The value at the upper end of the axis.
        package let top: Double
        /// Formats a value of the axis.
        package let format: @Sendable (Double) -> String

        /// The title with the names and the latest values of all lines, which is also what a screen reader speaks.
        package var summary: String {
            lines.map { "\($0.name) \($0.values.last.map(format) ?? "–")" }.joined(separator: ", ")
        }
    }

    private var values: [String: [Double]] = [:]

    package init() {}

    /// Adds the numbers of a moment.
    ///
    /// - Parameters:
    ///   - frame: the longest time of a frame since the moment before.
    ///   - resident: the bytes of memory of this process.
    package mutating func add(_ statistics: ImageLoader.Statistics, frame: Duration, resident: Int) {
        func cache(_ name: String) -> CacheStatistics? { statistics.caches.first { $0.name == name } }
        append("memory hits", (cache("memory")?.hitRatio ?? 0) * 100)
        append("disk hits", (cache("disk")?.hitRatio ?? 0) * 100)
        append("fetched", Double(statistics.bytes.fetched))
        append("saved", Double(statistics.bytes.savedByCache + statistics.bytes.savedByCoalescing))
        append("waiting", Double(statistics.queues.reduce(0) { $0 + $1.waiting }))
        append("running", Double(statistics.queues.reduce(0) { $0 + $1.running }))
        append("resident", Double(resident))
        append("images", Double(cache("memory")?.byteCount ?? 0))
        append("disk", Double(cache("disk")?.fileByteCount ?? 0))
        append("frame", frame / .milliseconds(1))
    }

    private mutating func append(_ name: String, _ value: Double) {
        values[name, default: []].append(value)
        if values[name]?.count ?? 0 > Samples.limit { values[name]?.removeFirst() }
    }

    package var plots: [Plot] {
        let bytes: @Sendable (Double) -> String = { Format.bytes(Int($0)) }
        return [
            plot("Hit ratios", [("memory", "memory hits"), ("disk", "disk hits")], least: 100) { "\(Int($0)) %" },
            plot("Bytes", [("fetched", "fetched"), ("saved", "saved")], least: 100_000, bytes),
            plot("Queues", [("waiting", "waiting"), ("running", "running")], least: 10) { "\(Int($0))" },
            plot("Memory", [("process", "resident"), ("decoded images", "images")], least: 1_000_000, bytes),
            plot("Disk cache", [("files", "disk")], least: 100_000, bytes),
            plot("Longest frame", [("drawing", "frame")], least: 16) { String(format: "%.1f ms", $0) },
        ]
    }

    private func plot(
        _ title: String, _ lines: [(name: String, key: String)], least: Double, _ format: @escaping @Sendable (Double) -> String
    ) -> Plot {
        let lines = lines.map { (name: $0.name, values: values[$0.key] ?? []) }
        let most = lines.flatMap(\.values).max() ?? 0
        return Plot(title: title, lines: lines, top: most > least ? Samples.roundUp(most) : least, format: format)
    }

    /// The next number of the form 1, 2 or 5 × 10ⁿ.
    package static func roundUp(_ value: Double) -> Double {
        let power = pow(10, floor(log10(value)))
        return ([1, 2, 5].first { $0 * power >= value } ?? 10) * power
    }

    /// The resident memory of this process in bytes; 0 where `/proc` is missing.
    package static var residentMemory: Int {
        let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ").dropFirst().first
        return (pages.flatMap { Int($0) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
