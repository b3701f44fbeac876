/// Medians with their quartiles: for each figure a line of this project, and below it one for each peer.
struct RangePlot {
    let title: String
    /// Rows of one unit.
    let rows: [Row]

    private static let (left, right) = (152.0, 340.0)

    /// - Parameter hasStyle: Whether the element brings its colours along.
    func svg(hasStyle: Bool = false) -> String {
        let unit = rows.first?.unit ?? ""
        let axis = Axis(
            rows.flatMap { [$0.median, $0.peer?.value].compactMap { $0 } + ends($0.samples) + ends($0.peer?.samples ?? []) },
            from: Self.left, to: Self.right)
        var drawing = Drawing()
        drawing.text(title, 0, 14, isBold: true, fitting: Drawing.width)
        var marks = Drawing()
        var y = 34.0
        // Rows of one name compare the same figure with several peers.
        for name in rows.map(\.name).uniqued() {
            let group = rows.filter { $0.name == name }
            marks.text(name, 0, y, fitting: Drawing.width)
            y += 15
            // The rows of a name may have different figures, if each peer has its own.
            let own = group[0]
            let isOver = group.contains { $0.isWithinBudget == false }
            draw("Calotype", own.median, own.samples, isOver ? .over : .own, axis, y, in: &marks)
            y += 14
            for peer in group.compactMap(\.peer) {
                draw(peer.name, peer.value, peer.samples, .peer1, axis, y, isRecorded: peer.isRecorded, in: &marks)
                y += 14
            }
            y += 8
        }
        for tick in axis.ticks {
            drawing.line(axis.place(tick), 40, axis.place(tick), y - 10, .grid)
            drawing.text(Axis.text(tick), axis.place(tick), y + 4, .dim, anchor: .middle)
        }
        drawing.text(unit, Drawing.width, y + 4, .dim, anchor: .end)
        drawing.append(marks)
        return drawing.svg(title: "\(title), medians in \(unit)", height: y + 10, hasStyle: hasStyle)
    }

    private func draw(
        _ label: String, _ value: Double?, _ samples: [Double], _ role: Drawing.Role, _ axis: Axis, _ y: Double,
        isRecorded: Bool = false, in drawing: inout Drawing
    ) {
        drawing.text(label, 10, y + 4, role == .peer1 ? .dim : role, fitting: Self.left - 18)
        guard let value else { return drawing.text("not installed", Self.left, y + 4, .dim) }
        if let quartiles = samples.quartiles {
            drawing.line(axis.place(quartiles.lowerBound), y, axis.place(quartiles.upperBound), y, role, width: 3)
        }
        drawing.dot(axis.place(value), y, role, isHollow: isRecorded)
        drawing.text(Row.threeDigits(value) + (isRecorded ? "*" : ""), Drawing.width, y + 4, anchor: .end)
    }

    private func ends(_ samples: [Double]) -> [Double] {
        samples.quartiles.map { [$0.lowerBound, $0.upperBound] } ?? []
    }
}

extension Sequence where Element: Hashable {
    /// The elements in their order, each once.
    func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
