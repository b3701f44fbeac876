package import ImageCore

extension DecodedImage {
    /// Returns the image at exactly the size that `options` require. A decoder may return any size from there to the
    /// full one.
    ///
    /// - Parameters:
    ///   - box: the target size of the image, which may show a part; `nil`, the default, if it shows the whole image.
    ///   - fullSize: returns the full upright size; called only if the image may be too large. It determines the size
    ///     of the result and what ``ImageContentMode/fill`` crops.
    /// - Returns: `nil` if the image does not show all that the result has.
    /// - Throws: ``ImageError`` for a target size without pixels, or without memory; `CancellationError`; what
    ///   `fullSize` throws.
    package func resized(
        for options: DecodeOptions, decodedTo box: PixelSize? = nil, fullSize: () throws -> PixelSize
    ) throws -> DecodedImage? {
        guard let target = options.targetSize, size != target else { return self }
        // An image inside the box is already the result of `fit`, because decoders return at least that size.
        if options.contentMode == .fit, size.width <= target.width, size.height <= target.height { return self }
        let full = try fullSize()
        guard var geometry = try options.geometry(storedSize: full), size != geometry.output else { return self }
        let shown = ResizeGeometry(source: full, box: box ?? full, mode: options.contentMode)
        let (x, y) = (Double(size.width) / shown.width, Double(size.height) / shown.height)
        (geometry.x, geometry.width) = ((geometry.x - shown.x) * x, geometry.width * x)
        (geometry.y, geometry.height) = ((geometry.y - shown.y) * y, geometry.height * y)
        let (right, bottom) = (geometry.x + geometry.width, geometry.y + geometry.height)
        guard min(geometry.x, geometry.y) > -0.5, right < Double(size.width) + 0.5, bottom < Double(size.height) + 0.5
        else { return nil }
        let small = try Resampler.resize(bitmap, to: geometry, cancellation: options.cancellation)
        return with(options.alpha == .straight ? try small.unpremultiplied() : small)
    }
}

extension Decoding {
    /// Decodes a file to exactly the target size. A decoder may return a larger image.
    package func decodeToTargetSize(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        try scaleDown(decode(data, options: options), of: data, options: options)
    }

    /// Scales an image that was decoded from `data`, with the same options except for a larger target size or none, to
    /// exactly the target size. From at least twice the size, the result is within two levels of a separate decode,
    /// except at hard edges. The larger image must show all that the result has.
    package func scaleDown(_ larger: DecodedImage, of data: Data, options: DecodeOptions) throws -> DecodedImage {
        try larger.resized(for: options) { try decodedSize(of: data, options: options) } ?? larger
    }

    /// The size of the image that ``decode(_:options:)`` returns without a target size.
    package func decodedSize(of data: Data, options: DecodeOptions) throws -> PixelSize {
        // The decode has applied the limits; a scaled one may read files that are larger.
        let info = try info(of: data, limits: options.limits.withoutPixelLimit)
        guard options.appliesOrientation else { return info.size }
        return info.orientation.applied(to: info.croppedSize ?? info.size)
    }
}
