import CGallery
import Foundation
import ImageTargetsGTK

/// Writes what the window shows to standard output, for a test (`--trace`): a line of words `name=value` after each change. Bounds
/// are in pixels from the upper left corner of the window, including its frame.
@MainActor final class Trace {
    private var last = ""

    /// Writes a line if something has changed.
    ///
    /// - Parameters:
    ///   - words: further words.
    ///   - list: the grid or list.
    ///   - isListShown: whether the window shows the list.
    func write(_ words: [(name: String, value: String)], _ list: GTKImageList, isListShown: Bool) {
        let cells = isListShown ? list.visibleCells(in: gallery_window()) : []
        var origin = (x: 0.0, y: 0.0)
        gallery_origin(&origin.x, &origin.y)
        let positions = cells.map {
            "\($0.position),\(Int($0.bounds.x + origin.x)),\(Int($0.bounds.y + origin.y))"
        }
        let all =
            words + [
                ("selected", list.selected.map { "\($0)" } ?? ""), ("offset", "\(Int(list.offset))"),
                ("loading", "\(cells.count { $0.isLoading })"), ("blank", "\(cells.count { $0.isBlank })"),
                ("page-bounds", bounds(ofButton: false)), ("button", bounds(ofButton: true)),
                ("cells", positions.joined(separator: ";")),
            ]
        let line = all.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        guard line != last else { return }
        last = line
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    private func bounds(ofButton isButton: Bool) -> String {
        var bounds = (0.0, 0.0, 0.0, 0.0)
        guard gallery_bounds(isButton, &bounds.0, &bounds.1, &bounds.2, &bounds.3) else { return "" }
        return "\(Int(bounds.0)),\(Int(bounds.1)),\(Int(bounds.2)),\(Int(bounds.3))"
    }
}
