import AppleGallery
import CalotypeTesting
import Foundation
import ImageCore
import UIKit

/// `AppleRecorder IMAGE.ppm HASH.ppm FOLDER` writes what each view of `Examples/AppleGallery` shows to a PPM file. The views are stubs
/// that record what is set, and this program draws it. UIKit's drawing may differ.
@main @MainActor struct AppleRecorder {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 else { return print("Usage: AppleRecorder IMAGE.ppm HASH.ppm FOLDER") }
        let image = try PortablePixmap.read(arguments[1])
        // The file is as small as a decoded hash, and is scaled as smoothly.
        let hash = try PlaceholderHash(Data(contentsOf: URL(filePath: arguments[2]))) { try PortablePixmap.decode($0) }

        let provider = ScriptedProvider()
        func url(_ name: String) -> URL { URL(string: "test://\(name)")! }
        let clay = Placeholder.color(red: 0.72, green: 0.55, blue: 0.42, alpha: 1)
        var gallery = AppleGallery()
        provider.cache(image, for: ImageRequest(url: url("memory")))
        gallery.add("colour", url("colour"), placeholder: clay, from: provider)
        gallery.add("hash", url("hash"), placeholder: .hash(hash), from: provider)
        gallery.add("half-way", url("fading"), placeholder: clay, from: provider)
        gallery.addWithBadge("memory", url("memory"), from: provider)
        gallery.addWithBadge("disk", url("disk"), from: provider)
        gallery.addWithBadge("network", url("network"), from: provider)
        for (index, tier) in [(2, CacheTier.network), (3, .disk), (4, .network)] {
            provider.loads[index].succeed(image, tier: tier)
        }
        while gallery.views[2...].contains(where: { $0.view.image == nil }) { await Task.yield() }

        for (index, item) in gallery.views.enumerated() {
            let file = URL(filePath: arguments[3]).appending(path: "\(index)-\(item.title).ppm")
            try PortablePixmap.encode(RecordedView(item.view), width: image.size.width, height: image.size.height).write(to: file)
        }
    }
}

/// The colours of a view, in the middle of its last transition if it had one.
@MainActor private struct RecordedView {
    private let appearances: [UIView.Appearance]

    init(_ view: UIImageView) { appearances = [view.previousAppearance, view.appearance].compactMap { $0 } }

    /// The red, green and blue at a position, whose coordinates are from 0 to 1.
    func color(_ x: Double, _ y: Double) -> [Double] {
        let colors = appearances.map { RecordedView.color(of: $0, x, y) }
        return (0..<3).map { component in colors.map { $0[component] }.reduce(0, +) / Double(colors.count) }
    }

    private static func color(of appearance: UIView.Appearance, _ x: Double, _ y: Double) -> [Double] {
        if let image = appearance.image?.cgImage { return color(of: image, x, y) }
        // The page is white.
        guard let components = appearance.backgroundColor?.components else { return [255, 255, 255] }
        return components[0..<3].map { ($0 * components[3] + 1 - components[3]) * 255 }
    }

    /// The colour of an image that is scaled to fill the view, which is the default of image views, with bilinear interpolation.
    private static func color(of image: CGImage, _ x: Double, _ y: Double) -> [Double] {
        func split(_ position: Double, _ count: Int) -> (index: Int, next: Int, fraction: Double) {
            let exact = min(max(position * Double(count) - 0.5, 0), Double(count - 1))
            return (Int(exact), min(Int(exact) + 1, count - 1), exact - exact.rounded(.down))
        }
        let (column, row) = (split(x, image.width), split(y, image.height))
        func value(_ x: Int, _ y: Int, _ component: Int) -> Double {
            Double(image.provider.data.load(fromByteOffset: y * image.bytesPerRow + x * 4 + component, as: UInt8.self))
        }
        return (0..<3).map { component in
            let upper =
                value(column.index, row.index, component) * (1 - column.fraction) + value(column.next, row.index, component)
                * column.fraction
            let lower =
                value(column.index, row.next, component) * (1 - column.fraction) + value(column.next, row.next, component)
                * column.fraction
            return upper * (1 - row.fraction) + lower * row.fraction
        }
    }
}

/// Portable pixmaps of type `P6` (netpbm.sourceforge.net/doc/ppm.html): `P6`, width, height and 255 as text, a line break, and three
/// bytes per pixel.
@MainActor private enum PortablePixmap {
    static func read(_ path: String) throws -> DecodedImage { try decode(Data(contentsOf: URL(filePath: path))) }

    nonisolated static func decode(_ file: Data) throws -> DecodedImage {
        let words = file.prefix(40).split(whereSeparator: { $0 == 10 || $0 == 32 }).prefix(4)
        let numbers = words.dropFirst().compactMap { Int(String(decoding: $0, as: UTF8.self)) }
        guard words.first.map({ Array($0) }) == Array("P6".utf8), numbers.count == 3, numbers[2] == 255, let header = words.last,
            file.count - header.endIndex - 1 == numbers[0] * numbers[1] * 3
        else { throw ImageError(.corrupt, message: "The file is not a P6 pixmap with 8 bits per component.") }
        let pixels = Array(file[(header.endIndex + 1)...])
        return DecodedImage(
            try unsafe Bitmap(size: PixelSize(width: numbers[0], height: numbers[1]), format: .rgba8, alpha: .opaque) {
                out, row in
                for y in 0..<numbers[1] {
                    for x in 0..<numbers[0] {
                        for component in 0..<3 {
                            unsafe out[y * row + x * 4 + component] = pixels[(y * numbers[0] + x) * 3 + component]
                        }
                        unsafe out[y * row + x * 4 + 3] = 255
                    }
                }
            })
    }

    static func encode(_ view: RecordedView, width: Int, height: Int) -> Data {
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
