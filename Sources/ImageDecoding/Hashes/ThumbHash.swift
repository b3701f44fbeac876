public import ImageCore

/// ThumbHash: a blurred image in 5 to 25 bytes, with its aspect ratio and its transparency.
///
/// The format (ThumbHash, Evan Wallace) consists of
/// - 24 bits: the means of lightness, yellow-blue and red-green, the largest weight of lightness, and whether there is
///   alpha;
/// - 16 bits: the number of waves, the largest weights of the two colour channels, and whether the image is landscape;
/// - 8 bits, if there is alpha: its mean and its largest weight;
/// - 4 bits for each wave of each channel.
///
/// The computation uses gamma-encoded colours.
public enum ThumbHash {
    /// Decodes a hash. The longer side of the result has 32 pixels.
    ///
    /// - Throws: ``ImageError`` (`corrupt`) if `bytes` are not a ThumbHash.
    public static func decode(_ bytes: some Collection<UInt8>) throws -> DecodedImage {
        let header = try Header(Array(bytes.prefix(64)))
        var reader = WeightReader(bytes: header.bytes, next: 2 * header.length)
        let l = reader.weights(header.across, header.down, scale: header.scales.l)
        let p = reader.weights(3, 3, scale: header.scales.p * 1.25)
        let q = reader.weights(3, 3, scale: header.scales.q * 1.25)
        let a = header.hasAlpha ? reader.weights(5, 5, scale: header.scales.a) : []
        guard reader.next <= 2 * header.bytes.count else { throw Header.malformed }
        let (size, waves) = (header.size, max(7, header.across, header.down))
        let (wavesX, wavesY) = (
            cosines(count: size.width, waves: waves, shift: 0.5), cosines(count: size.height, waves: waves, shift: 0.5)
        )
        func sum(_ weights: [Double], _ across: Int, _ down: Int, _ x: Int, _ y: Int) -> Double {
            var total = 0.0
            for (weight, wave) in zip(weights, Self.waves(across, down).dropFirst()) {
                total += weight * wavesX[wave.x][x] * wavesY[wave.y][y] * 2
            }
            return total
        }
        return try HashPixels.image(size, isOpaque: !header.hasAlpha) { x, y in
            let lightness = header.means.l + sum(l, header.across, header.down, x, y)
            let yellowBlue = header.means.p + sum(p, 3, 3, x, y)
            let redGreen = header.means.q + sum(q, 3, 3, x, y)
            let alpha = header.hasAlpha ? header.means.a + sum(a, 5, 5, x, y) : 1
            let blue = lightness - 2.0 / 3 * yellowBlue
            let red = (3 * lightness - blue + redGreen) / 2
            return [red, red - redGreen, blue, alpha].map { UInt8(max(0, min(1, $0)) * 255) }
        }
    }

    /// Encodes an image of any size. It is first scaled down to at most 100 pixels on a side.
    public static func encode(_ image: DecodedImage) throws -> [UInt8] {
        let pixels = try HashPixels(image.bitmap)
        let (width, height, count) = (pixels.size.width, pixels.size.height, pixels.size.width * pixels.size.height)
        func sample(_ i: Int, _ c: Int) -> Double { Double(pixels.values[4 * i + c]) / 255 }
        var (mean, opacity) = ([0.0, 0, 0], 0.0)
        for i in 0..<count {
            for c in 0..<3 { mean[c] += sample(i, 3) * sample(i, c) }
            opacity += sample(i, 3)
        }
        if opacity > 0 { mean = mean.map { $0 / opacity } }
        let hasAlpha = opacity < Double(count)
        // Lightness, yellow-blue, red-green and alpha. Transparent pixels are blended with the mean colour.
        var planes = [[Double]](repeating: [], count: 4)
        for i in 0..<count {
            let alpha = sample(i, 3)
            let rgb = (0..<3).map { mean[$0] * (1 - alpha) + alpha * sample(i, $0) }
            planes[0].append((rgb[0] + rgb[1] + rgb[2]) / 3)
            planes[1].append((rgb[0] + rgb[1]) / 2 - rgb[2])
            planes[2].append(rgb[0] - rgb[1])
            planes[3].append(alpha)
        }
        let (limit, longer) = (hasAlpha ? 5.0 : 7.0, Double(max(width, height)))
        let across = max(1, rounded(limit * Double(width) / longer)), down = max(1, rounded(limit * Double(height) / longer))
        let (l, p) = (Channel(planes[0], pixels.size, max(3, across), max(3, down)), Channel(planes[1], pixels.size, 3, 3))
        let q = Channel(planes[2], pixels.size, 3, 3)
        let isLandscape = width > height
        let first =
            rounded(63 * l.mean) | rounded(31.5 + 31.5 * p.mean) << 6 | rounded(31.5 + 31.5 * q.mean) << 12
            | rounded(31 * l.scale) << 18 | (hasAlpha ? 1 << 23 : 0)
        let second = (isLandscape ? down : across) | rounded(63 * p.scale) << 3 | rounded(63 * q.scale) << 9
        let words = [first, first >> 8, first >> 16, second, second >> 8 | (isLandscape ? 0x80 : 0)]
        var hash = words.map { UInt8(truncatingIfNeeded: $0) }
        var channels = [l, p, q]
        if hasAlpha {
            let a = Channel(planes[3], pixels.size, 5, 5)
            hash.append(UInt8(truncatingIfNeeded: rounded(15 * a.mean) | rounded(15 * a.scale) << 4))
            channels.append(a)
        }
        let weights = channels.flatMap(\.weights).map { UInt8(truncatingIfNeeded: rounded(15 * $0)) }
        for start in stride(from: 0, to: weights.count, by: 2) {
            hash.append(weights[start] | (start + 1 < weights.count ? weights[start + 1] << 4 : 0))
        }
        return hash
    }

    private static func rounded(_ value: Double) -> Int { Int((value + 0.5).rounded(.down)) }

    /// The waves that a hash contains: a triangle of low frequencies, the mean first.
    fileprivate static func waves(_ across: Int, _ down: Int) -> [(x: Int, y: Int)] {
        (0..<down).flatMap { y in (0..<across).filter { $0 * down < across * (down - y) }.map { ($0, y) } }
    }

    /// The mean and the wave weights of a plane. The weights range from 0 to 1; 1/2 means zero.
    private struct Channel {
        var mean = 0.0, scale = 0.0
        var weights: [Double] = []

        init(_ plane: [Double], _ size: PixelSize, _ across: Int, _ down: Int) {
            let wavesX = cosines(count: size.width, waves: across, shift: 0.5)
            let wavesY = cosines(count: size.height, waves: down, shift: 0.5)
            for wave in ThumbHash.waves(across, down) {
                var sum = 0.0
                for y in 0..<size.height {
                    for x in 0..<size.width { sum += plane[y * size.width + x] * wavesX[wave.x][x] * wavesY[wave.y][y] }
                }
                sum /= Double(size.width * size.height)
                if wave == (0, 0) { mean = sum } else { weights.append(sum) }
            }
            scale = weights.map(abs).max() ?? 0
            if scale > 0 { weights = weights.map { 0.5 + 0.5 / scale * $0 } }
        }
    }

    /// The bytes before the weights.
    private struct Header {
        static let malformed = ImageError(
            .corrupt, message: "The bytes are not a ThumbHash: there are too few of them. Copy it again from its source.")

        let bytes: [UInt8]
        let hasAlpha: Bool
        let across: Int, down: Int
        let means: (l: Double, p: Double, q: Double, a: Double)
        let scales: (l: Double, p: Double, q: Double, a: Double)
        let size: PixelSize
        /// The length in bytes.
        var length: Int { hasAlpha ? 6 : 5 }

        init(_ bytes: [UInt8]) throws(ImageError) {
            self.bytes = bytes
            guard bytes.count >= 5 else { throw Self.malformed }
            let first = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
            let second = Int(bytes[3]) | Int(bytes[4]) << 8
            hasAlpha = first >> 23 != 0
            guard !hasAlpha || bytes.count >= 6 else { throw Self.malformed }
            let isLandscape = second >> 15 != 0
            let (longer, shorter) = (hasAlpha ? 5 : 7, second & 7)
            let (x, y) = isLandscape ? (longer, shorter) : (shorter, longer)
            (across, down) = (max(3, x), max(3, y))
            let alpha = hasAlpha ? Int(bytes[5]) : 15
            means = (
                Double(first & 63) / 63, Double(first >> 6 & 63) / 31.5 - 1, Double(first >> 12 & 63) / 31.5 - 1,
                Double(alpha & 15) / 15
            )
            scales = (
                Double(first >> 18 & 31) / 31, Double(second >> 3 & 63) / 63, Double(second >> 9 & 63) / 63,
                Double(alpha >> 4) / 15
            )
            let ratio = Double(max(1, x)) / Double(max(1, y))
            size = PixelSize(
                width: max(1, ThumbHash.rounded(ratio > 1 ? 32 : 32 * ratio)),
                height: max(1, ThumbHash.rounded(ratio > 1 ? 32 / ratio : 32)))
        }
    }

    /// Reads weights of four bits each, the lower half of a byte first. Weights after the end are 0.
    private struct WeightReader {
        let bytes: [UInt8]
        /// The position of the next weight in half bytes.
        var next: Int

        mutating func weights(_ across: Int, _ down: Int, scale: Double) -> [Double] {
            ThumbHash.waves(across, down).dropFirst().map { _ in
                defer { next += 1 }
                guard next / 2 < bytes.count else { return 0 }
                return (Double(bytes[next / 2] >> (next % 2 == 0 ? 0 : 4) & 15) / 7.5 - 1) * scale
            }
        }
    }
}
