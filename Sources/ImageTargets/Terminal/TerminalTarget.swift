public import ImageCore
internal import ImageKernels

/// A target view that draws each image at the cursor of a terminal, in the best way that the terminal supports.
///
/// The next image of the same load replaces a placeholder or a preview. The frames of an animation are drawn over its
/// first one: write nothing else to the terminal while an animation plays, or load with ``LoadOptions/animates``
/// `false`. A failure is written as one line of text. Progress is drawn on request, as a line that the image replaces.
/// Transitions are not drawn, and clearing the view leaves the image in the terminal.
public actor TerminalTarget: ImageViewAdapter {
    private let terminalImage: TerminalImage
    private let showsProgress: Bool
    private let output: @Sendable (String) -> Void
    private let onAnimationLoop: (@Sendable (AnimationPlaybackState) -> Void)?
    /// Whether the line of the cursor is the progress.
    private var isProgressShown = false
    /// The height, in rows, of the image above the cursor, and whether the next image replaces it; 0 rows without an
    /// image.
    private var shown = (rows: 0, isPreview: false)

    /// Makes a target view that draws into a box of a terminal.
    ///
    /// - Parameters:
    ///   - image: the terminal and its box.
    ///   - showsProgress: whether to write the progress of a load until its image is drawn; `false` by default.
    ///   - onAnimationLoop: called when the last frame of an animation has been shown for its time; `nil` by default.
    ///   - write: writes text to the terminal; called on any thread, one call at a time.
    public init(
        _ image: TerminalImage, showsProgress: Bool = false,
        onAnimationLoop: (@Sendable (AnimationPlaybackState) -> Void)? = nil, write: @escaping @Sendable (String) -> Void
    ) {
        terminalImage = image
        (self.showsProgress, self.onAnimationLoop) = (showsProgress, onAnimationLoop)
        output = write
    }

    public func setImage(_ image: DecodedImage, transition: ImageTransition) {
        do {
            if let drawing = try terminalImage.draw(image) { show(drawing, isPreview: image.isPreview) }
        } catch {
            write(line("The image could not be drawn: \(error)"))
        }
    }

    /// Draws a frame of the animation in the place of the last image. An image that is as high as the terminal keeps
    /// its first frame, since the upper rows may have scrolled away.
    public func setFrame(_ image: DecodedImage) async {
        guard shown.rows > 0, shown.rows < terminalImage.terminal.rows, let drawing = try? terminalImage.drawFrame(image),
            drawing.rows == shown.rows
        else { return }
        write("\r\u{1B}[\(shown.rows)A" + drawing.placed())
    }

    public func animationLoopEnded(_ state: AnimationPlaybackState) { onAnimationLoop?(state) }

    /// Returns the size of the box, so that targets load images of this size.
    public nonisolated func imageSize() -> ViewImageSize { .box(terminalImage.targetSize, .fit) }

    /// Shows a finished drawing, for example of an animation, instead of the last preview.
    ///
    /// - Parameters:
    ///   - drawing: the drawing to show.
    ///   - isPreview: whether the next image replaces the drawing; `false` by default.
    public func show(_ drawing: TerminalImage.Drawing, isPreview: Bool = false) {
        // Moves the cursor to the first row of the preview, and clears everything below.
        write((shown.isPreview && shown.rows > 0 ? "\r\u{1B}[\(shown.rows)A\u{1B}[J" : "") + drawing.placed())
        shown = (drawing.rows, isPreview)
    }

    public func setPlaceholder(_ placeholder: Placeholder) {
        shown = (0, false)
        switch placeholder {
        case .none, .hash: break
        case .image(var image):
            image.isPreview = true
            setImage(image, transition: .none)
        case .color(let red, let green, let blue, let alpha):
            let color = PixelColor(red: red, green: green, blue: blue, alpha: alpha)
            guard let bitmap = try? terminalImage.filledBox(of: color) else { return }
            setImage(DecodedImage(bitmap, isPreview: true), transition: .none)
        }
    }

    public func setProgress(_ progress: LoadProgress) {
        guard showsProgress, terminalImage.terminal.graphics != .none else { return }
        let amount = progress.fraction.map { "\(Int($0 * 100)) %" } ?? "\(progress.received / 1000) kB"
        write("Loading: \(amount)")
        isProgressShown = true
    }

    public func setLoading(_ isLoading: Bool) {
        if !isLoading, isProgressShown { write("") }
    }

    public func clear() { shown = (0, false) }

    public func setFailure(_ error: ImageError) {
        shown = (0, false)
        write(line(error.message))
    }

    /// Writes text instead of the progress.
    private func write(_ text: String) {
        output((isProgressShown ? "\r\u{1B}[K" : "") + text)
        isProgressShown = false
    }

    private func line(_ message: String) -> String { Terminal.sanitized(message) + "\n" }
}
