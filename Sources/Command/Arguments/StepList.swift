internal import ArgumentParser
internal import ImageCore
internal import ImageKernels
internal import ImageProcessing
internal import ProcessorParsing

/// The steps of `convert` in order, with the options that apply to several of them.
struct StepList {
    static let defaultMode = ImageContentMode.fit
    static let defaultFilter = ResampleFilter.lanczos3

    /// Each is `name=value`, as ``StepOptions`` writes it.
    var steps: [String] = []
    var mode = defaultMode
    var filter = defaultFilter
    var upscales = false
    var gravity: GravityArgument?

    /// - Parameter overlay: reads the image at a path.
    /// - Throws: `ValidationError` that names the option, for an invalid value; the errors of `overlay`.
    func processors(overlay: @escaping (String) throws -> DecodedImage) throws -> [any Processing] {
        try steps.flatMap { step in try parse(step) { try processors(of: $0, $1, overlay: overlay) } }
    }

    /// Rejects steps that are invalid for every image, before any image is read.
    ///
    /// - Throws: `ValidationError` that names the option.
    func validate() throws {
        // Every step except a crop, which depends on the size, runs on an image of one pixel. Overlays are one pixel,
        // too.
        let pixel = DecodedImage(
            try unsafe Bitmap(size: PixelSize(width: 1, height: 1), format: .gray8, alpha: .opaque) { _, _ in })
        var context = ProcessingContext()
        context.maximumPixels = 64
        for step in steps {
            try parse(step) { option, value in
                for processor in try processors(of: option, value, overlay: { _ in pixel }) where !(processor is Crop) {
                    do {
                        _ = try processor.process(pixel, context: context)
                    } catch let error as ImageError where error.code == .tooLarge {
                        continue
                    }
                }
            }
        }
    }

    /// Calls `body` with a step's option and value. An invalid request becomes a usage error that names the option.
    private func parse<R>(_ step: String, _ body: (_ option: String, _ value: String) throws -> R) throws -> R {
        let parts = step.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        do {
            return try body(String(parts[0]), parts.count == 2 ? String(parts[1]) : "")
        } catch let error as ImageError where error.code == .invalidRequest {
            throw ValidationError("--\(parts[0]): \(error.message)")
        }
    }

    private func processors(
        of option: String, _ value: String, overlay: @escaping (String) throws -> DecodedImage
    ) throws -> [any Processing] {
        switch option {
        case "size": return try resize(value)
        case "crop": return [try crop(value)]
        case "process": return try ProcessorList.parse(value, image: overlay)
        default:
            let name = StepOptions.processor(for: option)
            return [try ProcessorList.processor(name, value, defaults: defaults, image: overlay)]
        }
    }

    /// The arguments that `--gravity` provides. `attention` applies to crops only.
    private var defaults: [String: String] {
        guard let gravity else { return [:] }
        var defaults = ["anchor": gravity.anchor.name]
        if case .gravity(let place) = gravity.anchor {
            defaults["gravity"] = place.rawValue
            defaults["placement"] = place.rawValue
        }
        return defaults
    }

    private func resize(_ value: String) throws -> [any Processing] {
        guard let size = SizeArgument(argument: value) else {
            throw ValidationError("--size needs a size in pixels such as 320x200, 320x or x200, not '\(value)'.")
        }
        let resize = Resize(width: size.width, height: size.height, mode: mode, filter: filter, upscales: upscales)
        guard let gravity, mode == .fill, let width = size.width, let height = size.height else { return [resize] }
        return [CropTo(.aspectRatio(width: Double(width), height: Double(height)), anchor: gravity.anchor), resize]
    }

    private func crop(_ value: String) throws -> any Processing {
        let sides = value.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
        if sides.count == 4, sides.allSatisfy((0...1_000_000).contains), sides[2] > 0, sides[3] > 0 {
            return Crop(x: sides[0], y: sides[1], width: sides[2], height: sides[3])
        }
        guard !value.isEmpty, !value.contains(",") else {
            throw ValidationError(
                "--crop needs a rectangle such as 10,20,300,200, a size such as 300x200 or an aspect ratio such as 16:9.")
        }
        return try ProcessorList.processor("crop-to", value, defaults: defaults)
    }
}
