public import ImageCore

/// Pictures in iTerm2's protocol (iterm2.com/documentation-images.html): a whole file in one sequence, `ESC ] 1337 ; File=
/// arguments : base64 BEL`. The terminal decodes it, and runs animated GIF files by itself. A pure value.
public enum ITerm2Image {
    /// The file over so many cells from the cursor, which does not move.
    ///
    /// - Parameter file: of any format that the terminal reads; PNG, JPEG and GIF are safe.
    public static func draw(_ file: Data, columns: Int, rows: Int) -> String {
        let arguments = "inline=1;size=\(file.count);width=\(columns);height=\(rows);preserveAspectRatio=1;doNotMoveCursor=1"
        // Terminals that do not know the last argument move the cursor; saving it brings it back.
        return "\u{1B}7\u{1B}]1337;File=\(arguments):\(file.base64EncodedString())\u{07}\u{1B}8"
    }
}
