internal import Foundation

/// A drawing that becomes an SVG element. It is narrow, so that it can be read on a phone without scrolling.
struct Drawing {
    static let width = 400.0
    /// The mean width of a character, to shorten what would not fit.
    private static let characterWidth = 6.0

    /// The role of a mark, which determines its colour.
    enum Role: String {
        case own, over, peer1, peer2, peer3, peer4, peer5, grid, dim, text

        /// The colour of a peer by its place in a legend.
        static func peer(_ index: Int) -> Role { [.peer1, .peer2, .peer3, .peer4, .peer5][index % 5] }
    }

    enum Anchor: String {
        case start, middle, end
    }

    private var elements: [String] = []

    mutating func text(
        _ text: String, _ x: Double, _ y: Double, _ role: Role = .text, anchor: Anchor = .start, isBold: Bool = false,
        fitting width: Double? = nil
    ) {
        let limit = width.map { Int($0 / Self.characterWidth) } ?? text.count
        let shown = text.count > limit ? text.prefix(max(1, limit - 1)) + "…" : text
        elements.append(
            "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" class=\"\(role)\(isBold ? " bold" : "")\""
                + " text-anchor=\"\(anchor)\">\(Markup.escaped(String(shown)))</text>")
    }

    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ role: Role, width: Double = 1) {
        path([(x1, y1), (x2, y2)], role, width: width)
    }

    mutating func path(_ points: [(x: Double, y: Double)], _ role: Role, width: Double, isDashed: Bool = false) {
        let places = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }.joined(separator: " ")
        let dashes = isDashed ? " stroke-dasharray=\"4 3\"" : ""
        elements.append("<polyline points=\"\(places)\" class=\"\(role)\" stroke-width=\"\(width)\"\(dashes)/>")
    }

    /// - Parameter isHollow: Whether only the outline is drawn, for figures that were not measured in the run.
    mutating func dot(_ x: Double, _ y: Double, _ role: Role, radius: Double = 3.5, isHollow: Bool = false) {
        elements.append(
            "<circle cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\" r=\"\(radius)\" class=\"\(role)\(isHollow ? " hollow" : "")\"/>"
        )
    }

    /// Adds everything of another drawing on top.
    mutating func append(_ other: Drawing) { elements += other.elements }

    /// Returns the element.
    ///
    /// - Parameters:
    ///   - title: For readers that do not see the drawing.
    ///   - hasStyle: Whether the element brings its colours along, for a file that stands alone.
    func svg(title: String, height: Double, hasStyle: Bool = false) -> String {
        let style = hasStyle ? "<style>\(Style.plots)</style><rect width=\"100%\" height=\"100%\" class=\"paper\"/>" : ""
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \(Int(height.rounded(.up)))" role="img">\
            <title>\(Markup.escaped(title))</title>\(style)
            \(elements.joined(separator: "\n"))
            </svg>
            """
    }

    private static func number(_ value: Double) -> String { String(format: "%.1f", value) }
}
