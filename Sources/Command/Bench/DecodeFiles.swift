internal import ImageCore
internal import ImageDecoding
internal import CalotypeSystem

/// The files that decoding is measured with: one scene, in every format.
final class DecodeFiles {
    enum Kind: String, CaseIterable {
        case jpeg = "JPEG"
        case progressiveJPEG = "progressive JPEG"
        case png = "PNG"
        case webp = "WebP"
        case losslessWebP = "lossless WebP"
        case avif = "AVIF"
    }

    let folder: String
    private var scene: Bitmap?

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "calotype-decode-\(getpid())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // For tools that know what to write by the name's extension, and whose output is not wanted.
        for name in ["null.y4m", "null.png", "null.rgba"] {
            try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: "/dev/null")
        }
    }

    /// Writes the scene in a format, and says where.
    func make(_ kind: Kind, _ size: PixelSize) throws -> String {
        let scene = try scene.flatMap { $0.size == size ? $0 : nil } ?? BenchScene(size: size).bitmap()
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
        let file = try EncoderRegistry().encode(DecodedImage(scene), as: format, options: options)
        let path = "\(folder)/\(kind)-\(size).\(format.fileExtension)"
        try AtomicFile.write(file, to: path)
        return path
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
