import CGallery
import Foundation
import ImageTargetsGTK

/// What the window shows, for a program that looks at it (`--trace`): a line on standard output whenever it has changed, of
/// words `name=value`. Places are in pixels from the window's upper left,
/// its frame included.
@MainActor final class Trace {
    private var last = ""

    /// - Parameter words: what only the gallery knows.
    func write(_ words: [(name: String, value: String)], _ list: GTKImageList, isShown: Bool) {
        let cells = isShown ? list.visibleCells(in: gallery_window()) : []
        var origin = (x: 0.0, y: 0.0)
        gallery_origin(&origin.x, &origin.y)
        let places = cells.map {
            "\($0.position),\(Int($0.bounds.x + origin.x)),\(Int($0.bounds.y + origin.y))"
        }
        let all =
            words + [
                ("selected", list.selected.map { "\($0)" } ?? ""), ("offset", "\(Int(list.offset))"),
                ("loading", "\(cells.count { $0.isLoading })"), ("blank", "\(cells.count { $0.isBlank })"),
                ("place", place(ofButton: false)), ("button", place(ofButton: true)),
                ("cells", places.joined(separator: ";")),
            ]
        let line = all.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        guard line != last else { return }
        last = line
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    private func place(ofButton isButton: Bool) -> String {
        var place = (0.0, 0.0, 0.0, 0.0)
        guard gallery_place(isButton, &place.0, &place.1, &place.2, &place.3) else { return "" }
        return "\(Int(place.0)),\(Int(place.1)),\(Int(place.2)),\(Int(place.3))"
    }
}
