internal import ImageCore
internal import ImageKernels

/// A processor that only moves pixels, in a way that depends only on the size of the image.
enum GeometryStep: Sendable {
    case resize(Resize)
    case crop(Crop)
    case cropTo(CropTo, Gravity)
    case turn(Orientation)

    /// Returns `nil` for processors that depend on pixels (trim, attention) or that do more.
    init?(_ processor: any Processing) {
        switch processor {
        case let resize as Resize: self = .resize(resize)
        case let crop as Crop: self = .crop(crop)
        case let crop as CropTo:
            guard case .gravity(let gravity) = crop.anchor else { return nil }
            self = .cropTo(crop, gravity)
        case let flip as Flip: self = .turn(flip.orientation)
        case let rotate as Rotate:
            guard let orientation = rotate.orientation else { return nil }
            self = .turn(orientation)
        default: return nil
        }
    }

    /// Adds the step to a pass.
    ///
    /// - Returns: `false` if the step must follow the pass.
    /// - Throws: what the processor throws for an image of that size.
    func add(to pass: inout GeometryPass, context: ProcessingContext) throws(ImageError) -> Bool {
        switch self {
        case .resize(let resize):
            let geometry = try resize.geometry(for: pass.output)
            try context.check(geometry.output, after: resize.identifier)
            return try pass.resize(to: geometry, filter: resize.filter, isLinear: resize.isLinear)
        case .crop(let crop):
            try pass.crop(x: crop.x, y: crop.y, width: crop.width, height: crop.height)
        case .cropTo(let crop, let gravity):
            let part = try crop.size(in: pass.output)
            let place = gravity.place(part, in: pass.output)
            try pass.crop(x: place.x, y: place.y, width: part.width, height: part.height)
        case .turn(let orientation):
            pass.turn(orientation)
        }
        return true
    }
}

extension GeometryStep {
    /// Executes steps in as few passes as possible.
    ///
    /// - Parameter full: the full size of the image, if it was decoded to a smaller size. The first pass then uses the same part
    ///   of it.
    static func run(
        _ steps: [GeometryStep], on image: DecodedImage, standingFor full: PixelSize? = nil, context: ProcessingContext
    ) throws -> DecodedImage {
        var bitmap = image.bitmap
        var pass = GeometryPass(full ?? bitmap.size)
        func applyPass() throws {
            if pass.source != bitmap.size, let scaled = pass.scaled(to: bitmap.size) { pass = scaled }
            bitmap = try bitmap.applying(pass, threads: context.threads, cancellation: context.cancellation)
        }
        for step in steps {
            if try step.add(to: &pass, context: context) { continue }
            try applyPass()
            pass = GeometryPass(bitmap.size)
            _ = try step.add(to: &pass, context: context)
        }
        try applyPass()
        return image.with(bitmap)
    }
}
