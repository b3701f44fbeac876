import AppleGallery
import CalotypeTesting
import Foundation
import ImageCore
import UIKit

/// `AppleRecorder PICTURE.ppm HASH.ppm FOLDER`: writes what the views of `Examples/AppleGallery` were asked to show, one PPM file
/// each. The views are the stubs, which record; what they recorded is laid together here. It is not how UIKit would draw it.
@main @MainActor struct AppleRecorder {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 else { return print("AppleRecorder PICTURE.ppm HASH.ppm FOLDER") }
        let picture = try Portable.read(arguments[1])
        // As small as a hash would be drawn, and as smooth when it is scaled.
        let hash = try PlaceholderHash(Data(contentsOf: URL(filePath: arguments[2]))) { try Portable.decode($0) }

        let provider = ScriptedProvider()
        func url(_ name: String) -> URL { URL(string: "test://\(name)")! }
        let clay = Placeholder.color(red: 0.72, green: 0.55, blue: 0.42, alpha: 1)
        var gallery = AppleGallery()
        provider.cache(picture, for: ImageRequest(url: url("memory")))
        gallery.add("colour", url("colour"), placeholder: clay, from: provider)
        gallery.add("hash", url("hash"), placeholder: .hash(hash), from: provider)
        gallery.add("half-way", url("fading"), placeholder: clay, from: provider)
        gallery.addWithBadge("memory", url("memory"), from: provider)
        gallery.addWithBadge("disk", url("disk"), from: provider)
        gallery.addWithBadge("network", url("network"), from: provider)
        for (index, tier) in [(2, CacheTier.network), (3, .disk), (4, .network)] {
            provider.loads[index].succeed(picture, tier: tier)
        }
        while gallery.views[2...].contains(where: { $0.view.image == nil }) { await Task.yield() }

        for (index, item) in gallery.views.enumerated() {
            let file = URL(filePath: arguments[3]).appending(path: "\(index)-\(item.title).ppm")
            try Portable.encode(Recorded(item.view), width: picture.size.width, height: picture.size.height).write(to: file)
        }
    }
}

/// A view's colour at each place, from what it was told; half-way through its last transition, where it had one.
@MainActor private struct Recorded {
    private let looks: [UIView.Look]

    init(_ view: UIImageView) { looks = [view.lookBefore, view.look].compactMap { $0 } }

    /// Red, green and blue; places from 0 to 1.
    func color(_ x: Double, _ y: Double) -> [Double] {
        let colors = looks.map { Recorded.color(of: $0, x, y) }
        return (0..<3).map { part in colors.map { $0[part] }.reduce(0, +) / Double(colors.count) }
    }

    private static func color(of look: UIView.Look, _ x: Double, _ y: Double) -> [Double] {
        if let image = look.image?.cgImage { return color(of: image, x, y) }
        // White is the page.
        guard let parts = look.backgroundColor?.components else { return [255, 255, 255] }
        return parts[0..<3].map { ($0 * parts[3] + 1 - parts[3]) * 255 }
    }

    /// Scaled to fill the view, as image views do unless told otherwise, between the four nearest pixels.
    private static func color(of image: CGImage, _ x: Double, _ y: Double) -> [Double] {
        func split(_ place: Double, _ count: Int) -> (at: Int, next: Int, part: Double) {
            let exact = min(max(place * Double(count) - 0.5, 0), Double(count - 1))
            return (Int(exact), min(Int(exact) + 1, count - 1), exact - exact.rounded(.down))
        }
        let (column, row) = (split(x, image.width), split(y, image.height))
        func value(_ x: Int, _ y: Int, _ part: Int) -> Double {
            Double(image.provider.data.load(fromByteOffset: y * image.bytesPerRow + x * 4 + part, as: UInt8.self))
        }
        return (0..<3).map { part in
            let upper = value(column.at, row.at, part) * (1 - column.part) + value(column.next, row.at, part) * column.part
            let lower = value(column.at, row.next, part) * (1 - column.part) + value(column.next, row.next, part) * column.part
            return upper * (1 - row.part) + lower * row.part
        }
    }
}

/// Portable pixmaps, `P6` alone (netpbm.sourceforge.net/doc/ppm.html): `P6`, width, height and 255 as text, a line break, then
/// three bytes a pixel.
@MainActor private enum Portable {
    static func read(_ path: String) throws -> DecodedImage { try decode(Data(contentsOf: URL(filePath: path))) }

    nonisolated static func decode(_ file: Data) throws -> DecodedImage {
        let words = file.prefix(40).split(whereSeparator: { $0 == 10 || $0 == 32 }).prefix(4)
        let numbers = words.dropFirst().compactMap { Int(String(decoding: $0, as: UTF8.self)) }
        guard words.first.map({ Array($0) }) == Array("P6".utf8), numbers.count == 3, numbers[2] == 255, let header = words.last,
            file.count - header.endIndex - 1 == numbers[0] * numbers[1] * 3
        else { throw ImageError(.corrupt, message: "It is no P6 pixmap of 8 bits.") }
        let pixels = Array(file[(header.endIndex + 1)...])
        return DecodedImage(
            try unsafe Bitmap(size: PixelSize(width: numbers[0], height: numbers[1]), format: .rgba8, alpha: .opaque) {
                out, row in
                for y in 0..<numbers[1] {
                    for x in 0..<numbers[0] {
                        for part in 0..<3 { unsafe out[y * row + x * 4 + part] = pixels[(y * numbers[0] + x) * 3 + part] }
                        unsafe out[y * row + x * 4 + 3] = 255
                    }
                }
            })
    }

    static func encode(_ view: Recorded, width: Int, height: Int) -> Data {
        var file = Data("P6\n\(width) \(height)\n255\n".utf8)
        for y in 0..<height {
            for x in 0..<width {
                let color = view.color((Double(x) + 0.5) / Double(width), (Double(y) + 0.5) / Double(height))
                file.append(contentsOf: color.map { UInt8(min(max($0, 0), 255) + 0.5) })
            }
        }
        return file
    }
}
