package import ImageCore
internal import ImageKernels

/// An animation whose frames are composed on a canvas: GIF, APNG and WebP.
///
/// Disposal and blending work as in browsers. Frames are upright and scaled by the same options as in
/// ``Decoding/decode(_:options:)``. In memory there is one canvas, a second one if frames have the disposal `restore`,
/// and for a short time a third. The next frame in order decodes only that frame. Another one starts at the last frame
/// that does not depend on others.
package final class ComposedAnimation: ImageAnimation {
    private let compositor: Compositor
    private let options: DecodeOptions

    /// - Throws: ``ImageError`` if there are no frames or the canvas exceeds the limits.
    package init(_ source: any AnimationSource, options: DecodeOptions) throws(ImageError) {
        guard !source.frames.isEmpty else { throw .truncated(source.format) }
        self.options = options
        compositor = try Compositor(source, options: options)
    }

    package var durations: [Duration] { compositor.source.frames.map(\.duration) }
    package var loopCount: Int { compositor.source.loopCount }

    package func frame(at index: Int) throws -> DecodedImage {
        try options.checkFrame(index, of: frameCount)
        try compositor.show(index)
        if let failure = compositor.failure, !options.allowsPartial(after: failure) { throw failure }
        let source = compositor.source
        let orientation = options.applied(source.orientation)
        var bitmap = try canvas(geometry: options.geometry(storedSize: source.canvas, orientation: orientation))
        try options.checkCancellation()
        if options.alpha == .straight { bitmap = try bitmap.unpremultiplied() }
        bitmap = try bitmap.oriented(orientation)
        return DecodedImage(bitmap, format: source.format, isPartial: compositor.failure != nil)
    }

    /// The canvas, cropped and scaled by `geometry`: premultiplied, or straight if nothing is computed and the options
    /// ask for it.
    private func canvas(geometry: ResizeGeometry?) throws -> Bitmap {
        let (size, isOpaque) = (compositor.source.canvas, compositor.failure == nil && compositor.isOpaque)
        if let geometry {
            let line = try Scratch(rows: 1, rowBytes: 4 * size.width)
            return try unsafe Bitmap(resampling: size, format: .rgba8, alpha: isOpaque ? .opaque : .premultiplied, to: geometry) {
                append in
                for y in 0..<size.height {
                    if y & 63 == 63 { try options.checkCancellation() }
                    unsafe compositor.copyRow(y, to: line.base)
                    let row = unsafe UnsafeMutableRawBufferPointer(start: line.base, count: 4 * size.width)
                    if !isOpaque { unsafe PixelRow.premultiply(row, format: .rgba8) }
                    try unsafe append(UnsafeRawBufferPointer(row))
                }
            }
        }
        let alpha: AlphaMode = isOpaque ? .opaque : options.alpha == .straight ? .straight : .premultiplied
        return try unsafe Bitmap(size: size, format: .rgba8, alpha: alpha) { pixels, bytesPerRow in
            for y in 0..<size.height {
                let row = unsafe UnsafeMutableRawBufferPointer(rebasing: pixels[(y * bytesPerRow)...].prefix(4 * size.width))
                guard let base = row.baseAddress else { return }
                unsafe compositor.copyRow(y, to: base)
                if alpha == .premultiplied { unsafe PixelRow.premultiply(row, format: .rgba8) }
            }
        }
    }
}
