public import ImageCore

/// A view that is a terminal: draws each image where the cursor is, in whatever way that terminal has.
///
/// Previews grow in place: the next picture of the same load is drawn over the last one. Failures are written as one line
/// of text. Placeholders and progress are not drawn; what was written stays when the view is cleared.
public actor TerminalTarget: ImageViewAdapter {
    private let picture: TerminalPicture
    private let write: @Sendable (String) -> Void
    /// The rows of the preview that stands above the cursor.
    private var previewRows = 0

    /// - Parameters:
    ///   - picture: the terminal, and the box in characters.
    ///   - write: where the text goes; called on no particular thread, one call at a time.
    public init(_ picture: TerminalPicture, write: @escaping @Sendable (String) -> Void) {
        self.picture = picture
        self.write = write
    }

    /// Draws half blocks.
    public init(_ blocks: HalfBlocks, write: @escaping @Sendable (String) -> Void) {
        var terminal = Terminal(graphics: .halfBlocks, columns: blocks.columns, rows: blocks.rows + 1)
        (terminal.background, terminal.colors) = (blocks.background, blocks.colors)
        self.init(TerminalPicture(terminal), write: write)
    }

    public func setImage(_ image: DecodedImage, transition: Transition) {
        do {
            guard let drawing = try picture.draw(image) else { return }
            // Back to the preview's first row, and all below it cleared.
            write((previewRows > 0 ? "\r\u{1B}[\(previewRows)A\u{1B}[J" : "") + drawing.placed())
            previewRows = image.isPreview ? drawing.rows : 0
        } catch {
            write("The picture cannot be drawn: \(error)\n")
        }
    }

    public func setPlaceholder(_ placeholder: Placeholder) { previewRows = 0 }

    public func clear() { previewRows = 0 }

    public func setFailure(_ error: ImageError) { write(error.message + "\n") }
}
