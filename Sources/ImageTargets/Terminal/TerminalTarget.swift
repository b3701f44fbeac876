public import ImageCore

/// A view that is a terminal: draws each image where the cursor is, in whatever way that terminal has.
///
/// Placeholders and previews are drawn over in place, by the next picture of the same load. Failures are written as one line
/// of text. Progress is not drawn, there are no transitions, and what was written stays when the view is cleared.
public actor TerminalTarget: ImageViewAdapter {
    private let picture: TerminalImage
    private let write: @Sendable (String) -> Void
    /// The rows of the preview that stands above the cursor.
    private var previewRows = 0

    /// - Parameters:
    ///   - picture: the terminal, and the box in characters.
    ///   - write: where the text goes; called on no particular thread, one call at a time.
    public init(_ picture: TerminalImage, write: @escaping @Sendable (String) -> Void) {
        self.picture = picture
        self.write = write
    }

    /// Draws half blocks.
    public init(_ blocks: HalfBlocks, write: @escaping @Sendable (String) -> Void) {
        var terminal = Terminal(graphics: .halfBlocks, columns: blocks.columns, rows: blocks.rows + 1)
        (terminal.background, terminal.colors) = (blocks.background, blocks.colors)
        self.init(TerminalImage(terminal), write: write)
    }

    public func setImage(_ image: DecodedImage, transition: Transition) {
        do {
            if let drawing = try picture.draw(image) { show(drawing, isPreview: image.isPreview) }
        } catch {
            write(line("The picture cannot be drawn: \(error)"))
        }
    }

    /// Shows what was drawn already, an animation for instance, in the place of the last preview.
    public func show(_ drawing: TerminalImage.Drawing, isPreview: Bool = false) {
        // Back to the preview's first row, and all below it cleared.
        write((previewRows > 0 ? "\r\u{1B}[\(previewRows)A\u{1B}[J" : "") + drawing.placed())
        previewRows = isPreview ? drawing.rows : 0
    }

    public func setPlaceholder(_ placeholder: Placeholder) {
        previewRows = 0
        switch placeholder {
        case .none, .hash: break
        case .image(var image):
            image.isPreview = true
            setImage(image, transition: .none)
        case .color(let red, let green, let blue, let alpha):
            guard let bitmap = try? picture.box(of: [red, green, blue, alpha]) else { return }
            setImage(DecodedImage(bitmap, isPreview: true), transition: .none)
        }
    }

    public func clear() { previewRows = 0 }

    public func setFailure(_ error: ImageError) {
        previewRows = 0
        write(line(error.message))
    }

    private func line(_ message: String) -> String { Terminal.sanitized(message) + "\n" }
}
