internal import ImageCore
internal import ImageKernels

/// A processor that only moves pixels about, and where to is known from the image's size alone.
enum GeometryStep: Sendable {
    case resize(Resize)
    case crop(Crop)
    case cropTo(CropTo, Gravity)
    case turn(Orientation)

    /// `nil` for processors that look at pixels to decide (trim, attention), or that do more.
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

    /// Adds what this does to the result of a pass; `false` where it has to come after the pass.
    ///
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
    /// Carries steps out in as few passes as they take.
    ///
    /// - Parameter full: the size that the image is to be taken for where it was decoded to less; the first pass then
    ///   takes the same part of it.
    static func run(
        _ steps: [GeometryStep], on image: DecodedImage, standingFor full: PixelSize? = nil, context: ProcessingContext
    ) throws -> DecodedImage {
        var bitmap = image.bitmap
        var pass = GeometryPass(full ?? bitmap.size)
        func carryOut() throws {
            if pass.source != bitmap.size, let scaled = pass.scaled(to: bitmap.size) { pass = scaled }
            bitmap = try bitmap.applying(pass, threads: context.threads, cancellation: context.cancellation)
        }
        for step in steps {
            if try step.add(to: &pass, context: context) { continue }
            try carryOut()
            pass = GeometryPass(bitmap.size)
            _ = try step.add(to: &pass, context: context)
        }
        try carryOut()
        return image.with(bitmap)
    }
}
