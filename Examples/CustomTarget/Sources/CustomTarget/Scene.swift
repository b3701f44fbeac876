import ImageCore
import ImageKernels

/// Layers that are drawn to a bitmap, the first one undermost: a toolkit in miniature.
@SceneActor public final class Scene {
    /// A rectangle that shows pixels, and signs in its upper corners.
    @SceneActor public final class Layer {
        /// What the layer shows, scaled to its frame.
        public enum Content: Sendable {
            case nothing
            case color(PixelColor)
            case pixels(Bitmap)
        }

        /// The left and the upper edge in pixels of the scene.
        public var x: Int, y: Int
        /// The size in pixels; zero until the layer is laid out.
        public var size: PixelSize
        public var content = Content.nothing
        /// Whether a white dot is shown in the left corner.
        public var isBusy = false
        /// Whether a red dot is shown in the right corner.
        public var isBroken = false
        /// The share of the width that a white bar at the lower edge has.
        public var progress = 0.0
        /// The text that a screen reader speaks.
        public var spokenText = ""

        public nonisolated init(x: Int, y: Int, size: PixelSize) { (self.x, self.y, self.size) = (x, y, size) }
    }

    public var layers: [Layer] = []
    public let size: PixelSize

    public init(size: PixelSize) { self.size = size }

    /// Draws the layers over transparency.
    public func draw() throws -> Bitmap {
        var canvas = try filled(size, .clear)
        func draw(_ bitmap: Bitmap, _ x: Int, _ y: Int) throws { canvas = try canvas.overlaid(with: bitmap, x: x, y: y) }
        for layer in layers where layer.size.width > 0 && layer.size.height > 0 {
            switch layer.content {
            case .nothing: break
            case .color(let color): try draw(filled(layer.size, color), layer.x, layer.y)
            case .pixels(let bitmap):
                let geometry = ResizeGeometry(source: bitmap.size, box: layer.size, mode: .fill, upscales: true)
                try draw(Resampler.resize(bitmap, to: geometry), layer.x, layer.y)
            }
            let dot = PixelSize(width: 1, height: 1)
            let bar = PixelSize(width: Int(Double(layer.size.width) * layer.progress), height: 1)
            if layer.isBusy { try draw(filled(dot, .white), layer.x, layer.y) }
            if layer.isBroken {
                try draw(filled(dot, PixelColor(red: 1, green: 0, blue: 0)), layer.x + layer.size.width - 1, layer.y)
            }
            if bar.width > 0 { try draw(filled(bar, .white), layer.x, layer.y + layer.size.height - 1) }
        }
        return canvas
    }

    private func filled(_ size: PixelSize, _ color: PixelColor) throws -> Bitmap {
        let pixel = [color.red * color.alpha, color.green * color.alpha, color.blue * color.alpha, color.alpha]
        return try Bitmap(size: size, format: .rgba8, alpha: .premultiplied) { pixels, _ in
            for index in pixels.indices { pixels[index] = UInt8((pixel[index % 4] * 255).rounded()) }
        }
    }
}
