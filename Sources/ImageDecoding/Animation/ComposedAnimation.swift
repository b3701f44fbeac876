package import ImageCore
internal import ImageKernels

/// An animation whose frames are composed on a canvas: GIF, APNG and WebP.
///
/// Disposal and blending work as in browsers. Frames are upright and scaled by the same options as in
/// ``Decoding/decode(_:options:)``. In memory there is one canvas, a second one if frames have the disposal `restore`,
/// and for a short time a third. The next frame in order decodes only that frame. Another one starts at the last frame
/// that does not depend on others.
package final class ComposedAnimation: ImageAnimation {
    let source: any AnimationSource
    let options: DecodeOptions
    let frameOptions: DecodeOptions
    /// Straight RGBA. It starts transparent, and the background colour of the file is ignored.
    let canvas: Scratch
    /// What the canvas was before a frame with the disposal `restore`.
    var saved: (canvas: Scratch, failure: ImageError?)?
    /// The frame that the canvas shows.
    var current: Int?
    /// The error that made pixels of the canvas missing, in its frame or in an earlier one that is still visible.
    var failure: ImageError?

    /// - Throws: ``ImageError`` if there are no frames or the canvas exceeds the limits.
    package init(_ source: any AnimationSource, options: DecodeOptions) throws(ImageError) {
        guard !source.frames.isEmpty else { throw .truncated(source.format) }
        (self.source, self.options, frameOptions) = (source, options, options.forFramePixels)
        // The canvas, the saved canvas, and a frame.
        let bytes = source.canvas.byteCount(.rgba8)
        try options.limits.check(source.canvas, holding: [bytes, bytes, bytes])
        canvas = try Scratch(rows: source.canvas.height, rowBytes: 4 * source.canvas.width)
    }

    package var durations: [Duration] { source.frames.map(\.duration) }
    package var loopCount: Int { source.loopCount }

    package func frame(at index: Int) throws -> DecodedImage {
        try options.checkFrame(index, of: frameCount)
        try show(index)
        if let failure, !options.allowsPartial(after: failure) { throw failure }
        let orientation = options.applied(source.orientation)
        let geometry = try options.geometry(storedSize: source.canvas, orientation: orientation)
        var bitmap = try copyCanvas()
        if let geometry { bitmap = try Resampler.resize(bitmap, to: geometry, cancellation: options.cancellation) }
        try options.checkCancellation()
        bitmap = try (options.alpha == .straight ? bitmap.unpremultiplied() : bitmap.premultiplied()).oriented(orientation)
        return DecodedImage(bitmap, format: source.format, isPartial: failure != nil)
    }

    private func copyCanvas() throws -> Bitmap {
        let size = source.canvas
        let isOpaque = (0..<size.height).allSatisfy { y in
            let row = unsafe UnsafeRawBufferPointer(start: canvas.base + y * canvas.stride, count: 4 * size.width)
            return stride(from: 3, to: row.count, by: 4).allSatisfy { unsafe row[$0] == 255 }
        }
        let alpha = isOpaque && failure == nil ? AlphaMode.opaque : .straight
        return try unsafe Bitmap(size: size, format: .rgba8, alpha: alpha) { pixels, bytesPerRow in
            guard let base = pixels.baseAddress else { return }
            for y in 0..<size.height {
                unsafe (base + y * bytesPerRow).copyMemory(from: canvas.base + y * canvas.stride, byteCount: 4 * size.width)
            }
        }
    }
}

extension DecodeOptions {
    /// The options for the pixels of a single frame: in full size, straight, and without applying the orientation.
    fileprivate var forFramePixels: DecodeOptions {
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
