internal import ImageCore

/// Draws images with the kitty graphics protocol (sw.kovidgoyal.net/kitty/graphics-protocol): escape sequences
/// `ESC _ G keys ; base64 ESC \` with at most 4,096 characters of data each.
///
/// Each image has an identifier. Drawing another image with the same identifier replaces the first one, as previews do.
struct KittyGraphics: Hashable, Sendable {
    /// The identifier of the image in the terminal, at least 1.
    var id: UInt32

    /// Makes the drawing of the image with an identifier.
    init(id: UInt32) { self.id = max(1, id) }

    /// Returns the text that draws a PNG file at the cursor, over `columns` × `rows` character cells. The cursor does
    /// not move.
    func draw(_ png: Data, columns: Int, rows: Int) -> String {
        let data = Array(png.base64EncodedString().utf8)
        var text = ""
        for start in stride(from: 0, to: data.count, by: 4096) {
            let chunk = data[start..<min(start + 4096, data.count)]
            let keys = start == 0 ? "a=T,i=\(id),p=1,c=\(columns),r=\(rows),C=1,q=2,f=100" : "q=2"
            let isLast = chunk.endIndex == data.count
            text += "\u{1B}_G\(keys),m=\(isLast ? 0 : 1);\(String(decoding: chunk, as: UTF8.self))\u{1B}\\"
        }
        return text
    }
}
