import ImageCore
import ImageKernels

/// A resize by definition, in double precision: every pixel of the result is a weighted mean of the whole source, with
/// the weights of the filter centred on the pixel. Independent of the plan of the kernels.
func referenceResize(_ bitmap: Bitmap, to geometry: ResizeGeometry, filter: ResampleFilter) -> Samples {
    let source = bitmap.samples
    let channels = source.channels
    let across = referenceWeights(source.width, geometry.x, geometry.width, geometry.output.width, filter)
    let down = referenceWeights(source.height, geometry.y, geometry.height, geometry.output.height, filter)
    var values: [Double] = []
    for rowWeights in down {
        for columnWeights in across {
            var pixel = [Double](repeating: 0, count: channels)
            for (y, rowWeight) in rowWeights {
                for (x, columnWeight) in columnWeights {
                    for channel in 0..<channels { pixel[channel] += rowWeight * columnWeight * source[x, y, channel] }
                }
            }
            let limit = channels == 4 ? min(bitmap.fullLevel, max(0, pixel[3])) : bitmap.fullLevel
            values += pixel.map { min(limit, max(0, $0)) }
        }
    }
    return Samples(width: geometry.output.width, height: geometry.output.height, channels: channels, values: values)
}

private func referenceWeights(
    _ source: Int, _ origin: Double, _ length: Double, _ output: Int, _ filter: ResampleFilter
) -> [[(Int, Double)]] {
    let step = length / Double(output)
    return (0..<output).map { i in
        let center = origin + (Double(i) + 0.5) * step
        if filter == .nearest { return [(min(source - 1, Int(center)), 1)] }
        let all = (0..<source).map { ($0, filter.weight(at: (Double($0) + 0.5 - center) / max(1, step))) }
        let sum = all.reduce(0) { $0 + $1.1 }
        return all.filter { $0.1 != 0 }.map { ($0.0, $0.1 / sum) }
    }
}

extension ResizeGeometry {
    /// The whole image, stretched to a size.
    static func stretch(_ bitmap: Bitmap, to width: Int, _ height: Int) -> ResizeGeometry {
        ResizeGeometry(source: bitmap.size, box: PixelSize(width: width, height: height), mode: .exact, upscales: true)
    }

    /// A part of an image.
    static func part(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, of bitmap: Bitmap, to output: PixelSize
    ) -> ResizeGeometry {
        var geometry = ResizeGeometry(source: bitmap.size, box: output, mode: .exact, upscales: true)
        (geometry.x, geometry.y, geometry.width, geometry.height) = (x, y, width, height)
        return geometry
    }
}
