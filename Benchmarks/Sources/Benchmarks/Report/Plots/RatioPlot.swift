/// The ratios of this project's figures to those of the peers, with the range that their quartiles allow, and the
/// budget.
struct RatioPlot {
    let title: String
    /// Rows with a ratio; others are left out.
    let rows: [Row]

    private static let (left, right) = (10.0, 322.0)

    /// - Parameter hasStyle: Whether the element brings its colours along.
    func svg(hasStyle: Bool = false) -> String {
        let rows = rows.filter { ($0.ratio ?? 0) > 0 }
        let axis = Axis(
            [0.9, 1.1]
                + rows.flatMap { row in [row.ratio, row.ratioRange?.lowerBound, row.ratioRange?.upperBound].compactMap { $0 } },
            from: Self.left, to: Self.right, isLogarithmic: true)
        var drawing = Drawing()
        drawing.text(title, 0, 14, isBold: true, fitting: Drawing.width)
        var marks = Drawing()
        var y = 34.0
        for row in rows {
            guard let ratio = row.ratio, let peer = row.peer else { continue }
            let role: Drawing.Role = row.isWithinBudget == false ? .over : .own
            marks.text("\(row.name) / \(peer.name)", 0, y, fitting: Drawing.width)
            y += 13
            if let range = row.ratioRange {
                marks.line(axis.place(range.lowerBound), y, axis.place(range.upperBound), y, role, width: 3)
            }
            if case .ratio(let limit) = row.budget {
                marks.line(axis.place(limit), y - 6, axis.place(limit), y + 6, .over, width: 1.5)
            }
            marks.dot(axis.place(ratio), y, role, isHollow: peer.isRecorded)
            let isOver = row.isWithinBudget == false
            marks.text(
                "\(Row.threeDigits(ratio))×\(isOver ? " over" : "")", Drawing.width, y + 4, isOver ? .over : .text, anchor: .end)
            y += 19
        }
        for tick in Set(axis.ticks + [1]).sorted() where tick == 1 || abs(axis.place(tick) - axis.place(1)) > 18 {
            drawing.line(axis.place(tick), 40, axis.place(tick), y - 10, tick == 1 ? .dim : .grid)
            drawing.text("\(Axis.text(tick))×", axis.place(tick), y + 4, .dim, anchor: .middle)
        }
        let isHigherBetter = rows.contains(where: \.isHigherBetter)
        drawing.text("ratio; \(isHigherBetter ? "above" : "below") 1× is better", 0, y + 20, .dim)
        drawing.append(marks)
        return drawing.svg(title: "\(title), ratios to peers", height: y + 26, hasStyle: hasStyle)
    }
}

extension Row {
    /// The smallest and the largest ratio of the quartiles of both figures; `nil` without samples of this project.
    var ratioRange: ClosedRange<Double>? {
        guard let own = samples.quartiles, let peer, let value = peer.value, value > 0, own.lowerBound > 0 else { return nil }
        let theirs = peer.samples.quartiles ?? value...value
        guard theirs.lowerBound > 0 else { return nil }
        return own.lowerBound / theirs.upperBound...own.upperBound / theirs.lowerBound
    }
}
