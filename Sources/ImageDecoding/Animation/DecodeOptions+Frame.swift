package import ImageCore

extension DecodeOptions {
    /// The options for the pixels of a single frame: in full size, straight, and without applying the orientation.
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
