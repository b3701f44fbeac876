public import ImageCore
internal import ImageKernels

/// BlurHash: a blurred image in 20 to 30 characters, as the weights of a few cosine waves.
///
/// The format (BlurHash algorithm, Wolt) has digits of base 83: one for the number of waves, one for the largest
/// weight, four for the mean colour, and two for each further wave. Colours are averaged in linear light. Transparency
/// is ignored.
public enum BlurHash {
    /// Decodes a hash.
    ///
    /// - Parameters:
    ///   - text: the hash, from 6 to 166 characters.
    ///   - size: the size of the result in pixels, up to 1024 on a side; 32 × 32. The view scales the result up.
    ///   - punch: a factor for the contrast; 1.
    /// - Throws: ``ImageError`` (`corrupt`) if `text` is not a BlurHash, `invalidRequest` if `size` is out of range.
    public static func decode(
        _ text: String, size: PixelSize = PixelSize(width: 32, height: 32), punch: Double = 1
    ) throws -> DecodedImage {
        guard 1...1024 ~= size.width, 1...1024 ~= size.height else {
            throw ImageError(
                .invalidRequest,
                message: "A BlurHash cannot be decoded to \(size) pixels. Use a size from 1 to 1024 on each side.")
        }
        let digits = text.utf8.prefix(200).map { Base83.value(of: $0) }
        let values = digits.compactMap { $0 }
        guard values.count == digits.count, let first = values.first, first < 81 else { throw malformed }
        let (across, down) = (first % 9 + 1, first / 9 + 1)
        guard values.count == text.utf8.count, values.count == 4 + 2 * across * down else { throw malformed }
        let largest = Double(values[1] + 1) / 166 * punch
        let mean = Base83.number(values[2..<6])
        var weights = [[Double]]()
        weights.append([mean >> 16 & 255, mean >> 8 & 255, mean & 255].map { TransferCurve.linear(Double($0) / 255) })
        for index in 1..<max(1, across * down) {
            let number = Base83.number(values[(4 + 2 * index)..<(6 + 2 * index)])
            weights.append([number / 361, number / 19 % 19, number % 19].map { signedSquare((Double($0) - 9) / 9) * largest })
        }
        let (wavesX, wavesY) = (
            cosines(count: size.width, waves: across, shift: 0), cosines(count: size.height, waves: down, shift: 0)
        )
        return try HashPixels.image(size, isOpaque: true) { x, y in
            var color = [0.0, 0, 0]
            for j in 0..<down {
                for i in 0..<across {
                    let wave = wavesX[i][x] * wavesY[j][y]
                    for c in 0..<3 { color[c] += weights[j * across + i][c] * wave }
                }
            }
            return color.map { UInt8(TransferCurve.encoded(min(1, max(0, $0))) * 255 + 0.5) } + [255]
        }
    }

    /// Encodes an image.
    ///
    /// - Parameters:
    ///   - image: an image of any size. It is first scaled down to at most 100 pixels on a side.
    ///   - across: the number of horizontal waves, from 1 to 9; 4.
    ///   - down: the number of vertical waves, from 1 to 9; 3.
    /// - Returns: the hash.
    /// - Throws: ``ImageError`` (`invalidRequest`) if a number of waves is out of range.
    public static func encode(_ image: DecodedImage, across: Int = 4, down: Int = 3) throws -> String {
        guard 1...9 ~= across, 1...9 ~= down else {
            throw ImageError(
                .invalidRequest, message: "A BlurHash cannot have \(across) x \(down) waves. Use 1 to 9 in each direction.")
        }
        let pixels = try HashPixels(image.bitmap)
        let (width, height) = (pixels.size.width, pixels.size.height)
        let light = (0..<256).map { TransferCurve.linear(Double($0) / 255) }
        let (wavesX, wavesY) = (cosines(count: width, waves: across, shift: 0), cosines(count: height, waves: down, shift: 0))
        var weights = [[Double]]()
        for j in 0..<down {
            for i in 0..<across {
                var sum = [0.0, 0, 0]
                for y in 0..<height {
                    for x in 0..<width {
                        let wave = wavesX[i][x] * wavesY[j][y]
                        for c in 0..<3 { sum[c] += light[Int(pixels.values[4 * (y * width + x) + c])] * wave }
                    }
                }
                let norm = (i == 0 && j == 0 ? 1.0 : 2.0) / Double(width * height)
                weights.append(sum.map { $0 * norm })
            }
        }
        let peak = weights.dropFirst().flatMap { $0 }.map(abs).max()
        let step = peak.map { max(0, min(82, Int(($0 * 166 - 0.5).rounded(.down)))) } ?? 0
        let largest = peak == nil ? 1 : Double(step + 1) / 166
        let mean = weights[0].map { Int((TransferCurve.encoded(min(1, max(0, $0))) * 255 + 0.5).rounded(.down)) }
        var text = Base83.text(across - 1 + (down - 1) * 9, 1) + Base83.text(step, 1)
        text += Base83.text(mean[0] << 16 | mean[1] << 8 | mean[2], 4)
        for weight in weights.dropFirst() {
            let parts = weight.map { max(0, min(18, Int((signedRoot($0 / largest) * 9 + 9.5).rounded(.down)))) }
            text += Base83.text((parts[0] * 19 + parts[1]) * 19 + parts[2], 2)
        }
        return text
    }

    private static let malformed = ImageError(
        .corrupt, message: "The text is not a BlurHash: its length or its characters are invalid. Copy it again from its source.")

    private static func signedSquare(_ value: Double) -> Double { value < 0 ? -value * value : value * value }

    private static func signedRoot(_ value: Double) -> Double { value < 0 ? -(-value).squareRoot() : value.squareRoot() }
}

/// Numbers in base 83.
private enum Base83 {
    static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8)

    static func value(of digit: UInt8) -> Int? { alphabet.firstIndex(of: digit) }

    static func number(_ digits: ArraySlice<Int>) -> Int { digits.reduce(0) { $0 * 83 + $1 } }

    static func text(_ number: Int, _ count: Int) -> String {
        var (digits, rest) = ([UInt8](), number)
        for _ in 0..<count {
            digits.append(alphabet[rest % 83])
            rest /= 83
        }
        return String(decoding: digits.reversed(), as: UTF8.self)
    }
}
