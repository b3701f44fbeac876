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
        transmit(png, "a=T,i=\(id),p=1,c=\(columns),r=\(rows),C=1,q=2")
    }

    /// Returns the text that draws an animation at the cursor, which the terminal plays. The cursor does not move.
    ///
    /// - Parameters:
    ///   - frames: the frames as PNG files, all of one size, with their durations. As in browsers, at most 10 ms
    ///     becomes 100 ms.
    ///   - columns: the width of the animation in character cells.
    ///   - rows: the height of the animation in character cells.
    ///   - loopCount: how often the terminal plays the animation; 0 until it is erased.
    func draw(_ frames: [(png: Data, duration: Duration)], columns: Int, rows: Int, loopCount: Int) -> String {
        func gap(_ duration: Duration) -> Int {
            Int((duration > .milliseconds(10) ? min(duration, .seconds(3600)) : .milliseconds(100)) / .milliseconds(1))
        }
        guard let first = frames.first else { return "" }
        var text = draw(first.png, columns: columns, rows: rows)
        for frame in frames.dropFirst() {
            text += transmit(frame.png, "a=f,i=\(id),z=\(gap(frame.duration)),q=2")
        }
        // The duration of the first frame, then the command to play (s=3): for ever (v=1), or v - 1 times.
        let loops = min(max(0, loopCount), 1_000_000) + 1
        return text + "\u{1B}_Ga=a,i=\(id),r=1,z=\(gap(first.duration)),s=3,v=\(loops),q=2\u{1B}\\"
    }

    private func transmit(_ png: Data, _ keys: String) -> String {
        let data = Array(png.base64EncodedString().utf8)
        var text = ""
        for start in stride(from: 0, to: data.count, by: 4096) {
            let chunk = data[start..<min(start + 4096, data.count)]
            let format = start == 0 ? "\(keys),f=100," : ""
            // Each chunk of a further frame repeats the identifier of its animation.
            let kind = start > 0 && keys.hasPrefix("a=f") ? "a=f,i=\(id),q=2," : start > 0 ? "q=2," : ""
            text +=
                "\u{1B}_G\(format)\(kind)m=\(chunk.endIndex < data.count ? 1 : 0);\(String(decoding: chunk, as: UTF8.self))\u{1B}\\"
        }
        return text
    }
}
