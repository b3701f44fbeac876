public import ImageCore

/// Pictures in the kitty graphics protocol (sw.kovidgoyal.net/kitty/graphics-protocol): escape sequences `ESC _ G keys ;
/// base64 ESC \` with at most 4,096 characters of data each.
///
/// A picture has a number: the same number again replaces it where it stands, so that previews grow in place. A pure value.
public struct KittyGraphics: Hashable, Sendable {
    /// Names the picture in the terminal, from 1.
    public var id: UInt32

    public init(id: UInt32) { self.id = max(1, id) }

    /// The picture over so many cells from the cursor, which does not move.
    public func draw(_ bitmap: Bitmap, columns: Int, rows: Int) -> String {
        transmit(bitmap, "a=T,i=\(id),p=1,c=\(columns),r=\(rows),C=1,q=2")
    }

    /// An animation over so many cells, which then runs by itself for ever. Frames are of one size; durations in seconds,
    /// as browsers take them: up to 0.01 s is 0.1 s.
    public func draw(_ frames: [(bitmap: Bitmap, duration: Double)], columns: Int, rows: Int) -> String {
        guard let first = frames.first else { return "" }
        var text = draw(first.bitmap, columns: columns, rows: rows)
        func gap(_ seconds: Double) -> Int { Int((seconds > 0.01 ? min(seconds, 3600) : 0.1) * 1000) }
        for frame in frames.dropFirst() {
            text += transmit(frame.bitmap, "a=f,i=\(id),z=\(gap(frame.duration)),q=2")
        }
        // The first frame's time, and then: run (s=3), for ever (v=1).
        return text + "\u{1B}_Ga=a,i=\(id),r=1,z=\(gap(first.duration)),s=3,v=1,q=2\u{1B}\\"
    }

    /// Takes the picture away.
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
            let head = start == 0 ? "\(keys),f=\(isOpaque ? 24 : 32),s=\(bitmap.width),v=\(bitmap.height)," : ""
            // Further frames of an animation say in every chunk what they belong to.
            let kind = start > 0 && keys.hasPrefix("a=f") ? "a=f,i=\(id),q=2," : start > 0 ? "q=2," : ""
            text +=
                "\u{1B}_G\(head)\(kind)m=\(chunk.endIndex < data.count ? 1 : 0);\(String(decoding: chunk, as: UTF8.self))\u{1B}\\"
        }
        return text
    }
}
