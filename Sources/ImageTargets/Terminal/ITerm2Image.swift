internal import ImageCore

/// Draws images with iTerm2's protocol (iterm2.com/documentation-images.html): a whole file in one escape sequence,
/// `ESC ] 1337 ; File= arguments : base64 BEL`. The terminal decodes the file.
enum ITerm2Image {
    /// Returns the text that draws a file at the cursor. The cursor does not move.
    ///
    /// - Parameters:
    ///   - file: an image file. All terminals with this protocol read PNG, JPEG and GIF.
    ///   - columns: the width of the image in character cells.
    ///   - rows: the height of the image in character cells.
    static func draw(_ file: Data, columns: Int, rows: Int) -> String {
        let arguments = "inline=1;size=\(file.count);width=\(columns);height=\(rows);preserveAspectRatio=1;doNotMoveCursor=1"
        // Terminals that ignore the last argument move the cursor, which is therefore saved and restored.
        return "\u{1B}7\u{1B}]1337;File=\(arguments):\(file.base64EncodedString())\u{07}\u{1B}8"
    }
}
