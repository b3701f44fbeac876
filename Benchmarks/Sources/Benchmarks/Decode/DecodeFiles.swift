internal import Calotype
internal import Foundation

/// The files for measuring decodes: one scene in each format.
final class DecodeFiles {
    enum Kind: String, CaseIterable {
        case jpeg = "JPEG"
        case progressiveJPEG = "progressive JPEG"
        case png = "PNG"
        case webp = "WebP"
        case losslessWebP = "lossless WebP"
        case avif = "AVIF"
    }

    let folder: ScratchFolder
    private let seed: UInt64
    private var scene: Bitmap?

    init(seed: UInt64) throws {
        self.seed = seed
        folder = try ScratchFolder()
        // For tools that choose the format by the extension of the output, which is discarded.
        for name in ["null.y4m", "null.png", "null.rgba"] {
            try FileManager.default.createSymbolicLink(atPath: folder.file(name), withDestinationPath: "/dev/null")
        }
    }

    /// Writes the scene in a format, and returns the path.
    func make(_ kind: Kind, _ size: PixelSize) throws -> String {
        let scene = try scene.flatMap { $0.size == size ? $0 : nil } ?? Scene(size: size, seed: seed).bitmap()
        self.scene = scene
        var options = EncodeOptions()
        let format: ImageFormat
        switch kind {
        case .jpeg: format = .jpeg
        case .progressiveJPEG: (format, options.isProgressive) = (.jpeg, true)
        case .png: (format, options.effort) = (.png, 3)
        case .webp: (format, options.effort, options.quality) = (.webp, 1, 80)
        case .losslessWebP: (format, options.effort, options.isLossless) = (.webp, 0, true)
        case .avif: (format, options.effort, options.quality) = (.avif, 0, 60)
        }
        let file = try Codecs.encoder.encode(DecodedImage(scene), as: format, options: options)
        let path = folder.file("\(kind)-\(size).\(format.rawValue)")
        try file.write(to: URL(filePath: path))
        return path
    }
}
