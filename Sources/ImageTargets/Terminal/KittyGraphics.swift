public import ImageCore

/// Draws images with the kitty graphics protocol (sw.kovidgoyal.net/kitty/graphics-protocol): escape sequences `ESC _ G keys ; base64
/// ESC \` with at most 4,096 characters of data each.
///
/// Each image has an identifier. Drawing another image with the same identifier replaces the first one, as previews do.
public struct KittyGraphics: Hashable, Sendable {
    /// The identifier of the image in the terminal, at least 1.
    public var id: UInt32

    /// Makes the drawing of the image with an identifier.
    public init(id: UInt32) { self.id = max(1, id) }

    /// Returns the text that draws an image at the cursor, over `columns` × `rows` character cells. The cursor does not move.
    public func draw(_ bitmap: Bitmap, columns: Int, rows: Int) -> String {
        transmit(bitmap, "a=T,i=\(id),p=1,c=\(columns),r=\(rows),C=1,q=2")
    }

    /// Returns the text that draws an animation at the cursor. The terminal repeats it until it is erased; the cursor does not move.
    ///
    /// - Parameters:
    ///   - frames: the frames, all of one size, with their durations in seconds. As in browsers, 0.01 s or less becomes 0.1 s.
    ///   - columns: the width of the animation in character cells.
    ///   - rows: the height of the animation in character cells.
    public func draw(_ frames: [(bitmap: Bitmap, duration: Double)], columns: Int, rows: Int) -> String {
        guard let first = frames.first else { return "" }
        var text = draw(first.bitmap, columns: columns, rows: rows)
        func gap(_ seconds: Double) -> Int { Int((seconds > 0.01 ? min(seconds, 3600) : 0.1) * 1000) }
        for frame in frames.dropFirst() {
            text += transmit(frame.bitmap, "a=f,i=\(id),z=\(gap(frame.duration)),q=2")
        }
        // The duration of the first frame, then the command to play (s=3) in an endless loop (v=1).
        return text + "\u{1B}_Ga=a,i=\(id),r=1,z=\(gap(first.duration)),s=3,v=1,q=2\u{1B}\\"
    }

    /// The text that removes the image.
    public var erase: String { "\u{1B}_Ga=d,d=I,i=\(id),q=2\u{1B}\\" }

    private func transmit(_ bitmap: Bitmap, _ keys: String) -> String {
        let pixels = TerminalPixels(bitmap, size: bitmap.size).pixels
        let isOpaque = bitmap.alpha == .opaque
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pixels.count * 4)
        for pixel in pixels { bytes += isOpaque ? Array(pixel.straight.prefix(3)) : pixel.straight }
        let data = Array(Data(bytes).base64EncodedString().utf8)
        var text = ""
        for start in stride(from: 0, to: data.count, by: 4096) {
            let chunk = data[start..<min(start + 4096, data.count)]
            let format = start == 0 ? "\(keys),f=\(isOpaque ? 24 : 32),s=\(bitmap.width),v=\(bitmap.height)," : ""
            // Each chunk of a further frame repeats the identifier of its animation.
            let kind = start > 0 && keys.hasPrefix("a=f") ? "a=f,i=\(id),q=2," : start > 0 ? "q=2," : ""
            text +=
                "\u{1B}_G\(format)\(kind)m=\(chunk.endIndex < data.count ? 1 : 0);\(String(decoding: chunk, as: UTF8.self))\u{1B}\\"
        }
        return text
    }
}
