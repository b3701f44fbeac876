public import ImageCore

/// A view that is a terminal: draws each image as half blocks where the cursor is.
///
/// Failures are written as one line of text. Progress is not drawn.
public actor TerminalTarget: ImageViewAdapter {
    private let blocks: HalfBlocks
    private let write: @Sendable (String) -> Void

    /// - Parameters:
    ///   - blocks: the box, in character cells.
    ///   - write: where the text goes; called on no particular thread, one call at a time.
    public init(_ blocks: HalfBlocks, write: @escaping @Sendable (String) -> Void) {
        self.blocks = blocks
        self.write = write
    }

    public func setImage(_ image: DecodedImage, transition: Transition) { write(blocks.draw(image.bitmap) + "\n") }

    public func setPlaceholder(_ placeholder: Placeholder) {}

    public func clear() {}

    public func setFailure(_ error: ImageError) { write(error.message + "\n") }
}
