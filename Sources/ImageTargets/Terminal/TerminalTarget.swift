public import ImageCore

/// A target view that draws each image at the cursor of a terminal, in the best way that the terminal supports.
///
/// The next image of the same load replaces a placeholder or a preview. A failure is written as one line of text. Progress and
/// transitions are not drawn, and clearing the view leaves the text in the terminal.
public actor TerminalTarget: ImageViewAdapter {
    private let terminalImage: TerminalImage
    private let write: @Sendable (String) -> Void
    /// The height, in rows, of the preview above the cursor; 0 without one.
    private var previewRows = 0

    /// Makes a target view that draws into a box of a terminal.
    ///
    /// - Parameters:
    ///   - image: the terminal and its box.
    ///   - write: writes text to the terminal; called on any thread, one call at a time.
    public init(_ image: TerminalImage, write: @escaping @Sendable (String) -> Void) {
        terminalImage = image
        self.write = write
    }

    /// Makes a target view that draws half blocks.
    ///
    /// - Parameters:
    ///   - blocks: the box and its colours.
    ///   - write: writes text to the terminal; called on any thread, one call at a time.
    public init(_ blocks: HalfBlocks, write: @escaping @Sendable (String) -> Void) {
        var terminal = Terminal(graphics: .halfBlocks, columns: blocks.columns, rows: blocks.rows + 1)
        (terminal.background, terminal.colors) = (blocks.background, blocks.colors)
        self.init(TerminalImage(terminal), write: write)
    }

    public func setImage(_ image: DecodedImage, transition: Transition) {
        do {
            if let drawing = try terminalImage.draw(image) { show(drawing, isPreview: image.isPreview) }
        } catch {
            write(line("The image could not be drawn: \(error)"))
        }
    }

    /// Shows a finished drawing, for example of an animation, instead of the last preview.
    ///
    /// - Parameters:
    ///   - drawing: the drawing to show.
    ///   - isPreview: whether the next image replaces the drawing; `false` by default.
    public func show(_ drawing: TerminalImage.Drawing, isPreview: Bool = false) {
        // Moves the cursor to the first row of the preview, and clears everything below.
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
            guard let bitmap = try? terminalImage.filledBox(of: [red, green, blue, alpha]) else { return }
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
