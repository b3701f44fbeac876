import Calotype
import Foundation

/// The images of the lab, drawn by formulas and encoded by the framework.
package struct LabImages: Sendable {
    /// A landscape of 960 × 640 pixels: a baseline JPEG, a progressive one, and the first part of the baseline one.
    package let photo: [UInt8], progressive: [UInt8], broken: [UInt8]
    /// A sun that crosses the sky, as an animated WebP of 12 frames.
    package let animation: [UInt8]
    /// Landscapes of 160 × 120 pixels in different colours.
    package let tiles: [[UInt8]]

    /// Draws and encodes all images, which takes a part of a second.
    package init() throws {
        let encoder = EncoderRegistry(.codecs)
        func jpeg(_ image: DecodedImage, isProgressive: Bool = false) throws -> [UInt8] {
            var options = EncodeOptions()
            options.isProgressive = isProgressive
            return Array(try encoder.encode(image, as: .jpeg, options: options))
        }
        let landscape = try LabImages.landscape(PixelSize(width: 960, height: 640), hue: 0.02)
        photo = try jpeg(landscape)
        progressive = try jpeg(landscape, isProgressive: true)
        broken = Array(photo.prefix(photo.count * 3 / 5))
        let frames = try (0..<12).map {
            try LabImages.landscape(PixelSize(width: 480, height: 320), hue: 0.55, sun: 0.1 + 0.8 * Double($0) / 11)
        }
        animation = Array(try encoder.encode(Film(frames), as: .webp, options: EncodeOptions()) ?? Data())
        tiles = try (0..<24).map { try jpeg(LabImages.landscape(PixelSize(width: 160, height: 120), hue: Double($0) / 24)) }
    }

    /// A sky with a sun over five ridges of hills.
    ///
    /// - Parameters:
    ///   - hue: the colour of the sky, 0 to 1.
    ///   - sun: the place of the sun, 0 at the left and 1 at the right.
    static func landscape(_ size: PixelSize, hue: Double, sun: Double = 0.64) throws -> DecodedImage {
        /// A smooth cycle of colours.
        func color(_ t: Double, _ light: Double) -> (Double, Double, Double) {
            func channel(_ phase: Double) -> Double { light * (0.62 + 0.38 * cos(2 * .pi * (t + phase))) }
            return (channel(0), channel(0.33), channel(0.67))
        }
        let height = 0.5 - 0.32 * sin(.pi * sun)
        return DecodedImage(
            try Bitmap(size: size, format: .rgba8, alpha: .opaque) { pixels, bytesPerRow in
                for row in 0..<size.height {
                    for column in 0..<size.width {
                        let (x, y) = (Double(column) / Double(size.width), Double(row) / Double(size.height))
                        var (red, green, blue) = color(hue + 0.16 * y, 0.55 + 0.5 * y)
                        let distance = ((x - sun) * 1.5) * ((x - sun) * 1.5) + (y - height) * (y - height)
                        let glow = distance < 0.004 ? 0.8 : 0.5 * exp(-distance / 0.03)
                        (red, green, blue) = (red + glow, green + 0.9 * glow, blue + 0.6 * glow)
                        for ridge in 0..<5 {
                            let (k, depth) = (Double(ridge), Double(ridge) / 4)
                            let crest =
                                0.5 + 0.1 * k + 0.05 * sin(x * (5 + 2 * k) + 1.9 * k) + 0.02 * sin(x * (17 + 5 * k) + k)
                                + 0.006 * sin(x * (61 + 13 * k))
                            if y > crest { (red, green, blue) = color(hue + 0.5 + 0.06 * k, 0.7 - 0.55 * depth) }
                        }
                        let start = row * bytesPerRow + column * 4
                        for (channel, value) in [red, green, blue, 1].enumerated() {
                            pixels[start + channel] = UInt8(max(0, min(1, value)) * 255)
                        }
                    }
                }
            })
    }

    /// Frames of a tenth of a second.
    private final class Film: ImageAnimation {
        let frames: [DecodedImage]
        init(_ frames: [DecodedImage]) { self.frames = frames }
        var durations: [Duration] { frames.map { _ in .milliseconds(100) } }
        var loopCount: Int { 0 }
        func frame(at index: Int) -> DecodedImage { frames[index] }
    }
}
