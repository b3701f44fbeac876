package import ImageCore

extension DecodeOptions {
    /// For the pixels of one frame, as they lie on the canvas: whole, straight, not turned.
    package var forFramePixels: DecodeOptions {
        var options = self
        options.targetSize = nil
        options.appliesOrientation = false
        options.convertsTo8Bit = true
        options.alpha = .straight
        options.allowsPartial = true
        options.frame = 0
        return options
    }
}
