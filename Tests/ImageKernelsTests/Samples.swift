import CalotypeTesting
import ImageCore

/// The samples of an image as numbers, row by row, with the channels of a pixel together.
struct Samples: Equatable {
    let width: Int
    let height: Int
    let channels: Int
    var values: [Double]

    subscript(x: Int, y: Int, channel: Int) -> Double { values[(y * width + x) * channels + channel] }

    /// The largest difference between two images of the same size and format.
    func distance(to other: Samples) -> Double {
        precondition(values.count == other.values.count)
        return zip(values, other.values).reduce(0) { max($0, abs($1.0 - $1.1)) }
    }

    func mean(_ channel: Int) -> Double {
        stride(from: channel, to: values.count, by: channels).reduce(0) { $0 + values[$1] } / Double(width * height)
    }
}

extension Bitmap {
    /// A bitmap whose samples are `level(x, y, channel)`.
    static func make(
        _ width: Int, _ height: Int, _ format: PixelFormat = .rgba8, alpha: AlphaMode = .premultiplied,
        level: (Int, Int, Int) -> Int
    ) throws -> Bitmap {
        try unsafe Bitmap(size: PixelSize(width: width, height: height), format: format, alpha: alpha) { pixels, bytesPerRow in
            let wide = format.bytesPerPixel > format.channels
            for y in 0..<height {
                for i in 0..<width * format.channels {
                    let value = level(i / format.channels, y, i % format.channels)
                    if wide {
                        unsafe pixels.storeBytes(of: UInt16(value), toByteOffset: y * bytesPerRow + i * 2, as: UInt16.self)
                    } else {
                        unsafe pixels.storeBytes(of: UInt8(value), toByteOffset: y * bytesPerRow + i, as: UInt8.self)
                    }
                }
            }
        }
    }

    /// Noise, whose colours do not exceed alpha if it is premultiplied.
    static func noise(
        _ width: Int, _ height: Int, _ format: PixelFormat = .rgba8, alpha: AlphaMode = .premultiplied, seed: UInt64 = 1
    ) throws -> Bitmap {
        var numbers = SeededGenerator(seed: seed)
        let most = format.bytesPerPixel > format.channels ? 65535 : 255
        let pixels = (0..<width * height).map { _ -> [Int] in
            let opacity = alpha == .opaque ? most : Int.random(in: 0...most, using: &numbers)
            let limit = alpha == .premultiplied ? opacity : most
            return (0..<3).map { _ in Int.random(in: 0...(format.channels == 1 ? most : limit), using: &numbers) } + [opacity]
        }
        return try make(width, height, format, alpha: alpha) { x, y, channel in pixels[y * width + x][channel] }
    }

    var samples: Samples {
        var values: [Double] = []
        values.reserveCapacity(width * height * format.channels)
        unsafe withUnsafePixels { pixels in
            for y in 0..<height {
                for i in 0..<width * format.channels {
                    let isWide = format.bytesPerPixel > format.channels
                    values.append(
                        isWide
                            ? Double(unsafe pixels.load(fromByteOffset: y * bytesPerRow + i * 2, as: UInt16.self))
                            : Double(unsafe pixels[y * bytesPerRow + i]))
                }
            }
        }
        return Samples(width: width, height: height, channels: format.channels, values: values)
    }

    /// The highest level: 255 or 65,535.
    var fullLevel: Double { format.bytesPerPixel > format.channels ? 65535 : 255 }
}
