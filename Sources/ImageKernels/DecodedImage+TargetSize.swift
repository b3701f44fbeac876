package import ImageCore

extension DecodedImage {
    /// Returns the image at exactly the size that `options` require. A decoder may return any size from there to the
    /// full one.
    ///
    /// - Parameters:
    ///   - fullSize: returns the full upright size; called only if the image may be too large. It determines the size
    ///     of the result and what ``ContentMode/fill`` crops.
    /// - Throws: ``ImageError`` for a target size without pixels, or without memory; `CancellationError`; what
    ///   `fullSize` throws.
    package func resized(for options: DecodeOptions, fullSize: () throws -> PixelSize) throws -> DecodedImage {
        guard let box = options.targetSize, size != box else { return self }
        // An image inside the box is already the result of `fit`, because decoders return at least that size.
        if options.contentMode == .fit, size.width <= box.width, size.height <= box.height { return self }
        let full = try fullSize()
        guard var geometry = try options.geometry(storedSize: full), size != geometry.output else { return self }
        let (x, y) = (Double(size.width) / Double(full.width), Double(size.height) / Double(full.height))
        (geometry.x, geometry.width) = (geometry.x * x, geometry.width * x)
        (geometry.y, geometry.height) = (geometry.y * y, geometry.height * y)
        let small = try Resampler.resize(bitmap, to: geometry, cancellation: options.cancellation)
        return with(options.alpha == .straight ? try small.unpremultiplied() : small)
    }
}

extension Decoding {
    /// Decodes a file to exactly the target size. A decoder may return a larger image.
    package func decodeToTargetSize(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        try scaleDown(decode(data, options: options), of: data, options: options)
    }

    /// Scales an image that was decoded from `data`, with the same options except for a larger target size, to exactly
    /// the target size. From at least twice the size, the result is within two levels of a separate decode, except at
    /// hard edges.
    package func scaleDown(_ larger: DecodedImage, of data: Data, options: DecodeOptions) throws -> DecodedImage {
        try larger.resized(for: options) { try decodedSize(of: data, options: options) }
    }

    /// The size of the image that ``decode(_:options:)`` returns without a target size.
    package func decodedSize(of data: Data, options: DecodeOptions) throws -> PixelSize {
        // The decode has applied the limits; a scaled one may read files that are larger.
        let info = try info(of: data, limits: options.limits.withoutPixelLimit)
        guard options.appliesOrientation else { return info.size }
        return info.orientation.applied(to: info.croppedSize ?? info.size)
    }
}
