package import ImageCore

extension DecodeOptions {
    /// The part of a stored image that the decode returns, and its size, both before the image is turned upright.
    ///
    /// The crop of ``ImageContentMode/fill`` is in the middle, so that the orientation only exchanges the axes.
    ///
    /// - Parameters:
    ///   - size: the full size as stored.
    ///   - orientation: the orientation to apply.
    /// - Returns: `nil` if the decode returns the image at its full size.
    /// - Throws: ``ImageError`` (`invalidRequest`) for a target size without pixels.
    package func geometry(storedSize size: PixelSize, orientation: Orientation = .up) throws(ImageError) -> ResizeGeometry? {
        guard let box = targetSize else { return nil }
        guard box.width > 0, box.height > 0 else {
            throw ImageError(
                .invalidRequest, message: "An image cannot be scaled to \(box) pixels; both sides must be at least 1.")
        }
        let upright = orientation.applied(to: size)
        let geometry = ResizeGeometry(source: upright, box: box, mode: contentMode)
        guard !geometry.isIdentity(for: upright) else { return nil }
        return orientation.swapsSides ? geometry.transposed : geometry
    }
}

extension ResizeGeometry {
    /// The geometry with the axes exchanged.
    var transposed: ResizeGeometry {
        var other = self
        (other.x, other.y, other.width, other.height) = (y, x, height, width)
        other.output = output.transposed
        return other
    }
}
