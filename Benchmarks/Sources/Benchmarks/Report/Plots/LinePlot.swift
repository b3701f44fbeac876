/// A cost as the work grows, of this project and of its peers, on logarithmic axes.
struct LinePlot {
    /// The points of one line of this project, with peers.
    let rows: [Row]

    private static let (left, right, top, bottom) = (52.0, 372.0, 0.0, 200.0)

    private struct Point {
        let amount: Double
        let value: Double
        let samples: [Double]
    }

    /// - Parameter hasStyle: Whether the element brings its colours along.
    func svg(hasStyle: Bool = false) -> String {
        guard let first = rows.first, let amount = first.amount else { return "" }
        let lines = lines
        var drawing = Drawing()
        drawing.text(amount.line, 0, 14, isBold: true, fitting: Drawing.width)
        // The legend, in as many lines as it needs.
        var (x, y) = (0.0, 32.0)
        for (index, line) in lines.enumerated() {
            let width = 30 + 6.2 * Double(line.name.count)
            if x + width > Drawing.width, x > 0 { (x, y) = (0, y + 16) }
            drawing.line(x, y - 4, x + 16, y - 4, role(index), width: 2)
            drawing.dot(x + 8, y - 4, role(index), radius: 3)
            drawing.text(line.name, x + 21, y)
            x += width
        }
        let top = y + 26
        let points = lines.flatMap(\.points)
        let across = Axis(points.map(\.amount), from: Self.left, to: Self.right, isLogarithmic: true)
        let up = Axis(points.flatMap { [$0.value] + $0.samples }, from: top + Self.bottom, to: top, isLogarithmic: true)
        for tick in up.ticks {
            drawing.line(Self.left, up.place(tick), Self.right, up.place(tick), .grid)
            drawing.text(Axis.text(tick), Self.left - 5, up.place(tick) + 4, .dim, anchor: .end)
        }
        for tick in across.ticks {
            drawing.line(across.place(tick), top, across.place(tick), top + Self.bottom, .grid)
            drawing.text(Axis.text(tick), across.place(tick), top + Self.bottom + 15, .dim, anchor: .middle)
        }
        drawing.text(first.unit, Self.left - 5, top - 12, .dim, anchor: .end)
        drawing.text(amount.unit, Drawing.width, top + Self.bottom + 30, .dim, anchor: .end)
        for (index, line) in lines.enumerated().reversed() {
            for point in line.points {
                guard let quartiles = point.samples.quartiles else { continue }
                let place = across.place(point.amount)
                drawing.line(place, up.place(quartiles.lowerBound), place, up.place(quartiles.upperBound), role(index), width: 4)
            }
            drawing.path(line.points.map { (across.place($0.amount), up.place($0.value)) }, role(index), width: 1.5)
            for point in line.points { drawing.dot(across.place(point.amount), up.place(point.value), role(index), radius: 3) }
        }
        let title = "\(amount.line): \(first.unit) by \(amount.unit)"
        return drawing.svg(title: title, height: top + Self.bottom + 36, hasStyle: hasStyle)
    }

    /// The line of this project, and those of the peers that were measured.
    private var lines: [(name: String, points: [Point])] {
        // The rows of an amount have the same figure of this project, and one peer each.
        let amounts = rows.compactMap(\.amount?.value).uniqued().sorted()
        let own = amounts.compactMap { amount in
            rows.first { $0.amount?.value == amount }.map { Point(amount: amount, value: $0.median, samples: $0.samples) }
        }
        let peers = rows.compactMap(\.peer?.name).uniqued().map { name in
            let points = rows.compactMap { row -> Point? in
                guard let peer = row.peer, peer.name == name, let value = peer.value, let amount = row.amount else { return nil }
                return Point(amount: amount.value, value: value, samples: peer.samples)
            }
            return (name: name, points: points.sorted { $0.amount < $1.amount })
        }
        return [(name: "Calotype", points: own)] + peers.filter { !$0.points.isEmpty }
    }

    private func role(_ index: Int) -> Drawing.Role { index == 0 ? .own : .peer(index - 1) }
}
