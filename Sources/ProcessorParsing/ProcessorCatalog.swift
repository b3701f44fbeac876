internal import ImageCore
internal import ImageKernels
internal import ImageProcessing

/// The processors of a list, with their parameters.
enum ProcessorCatalog {
    struct Entry: Sendable {
        let name: String
        /// The parameters in order; those with a default as `name=default`.
        let parameters: [String]
        let make: @Sendable (ProcessorArguments) throws -> any Processing

        init(
            _ name: String, _ parameters: [String] = [],
            _ make: @escaping @Sendable (ProcessorArguments) throws -> any Processing
        ) {
            (self.name, self.parameters, self.make) = (name, parameters, make)
        }
    }

    static let entries: [Entry] = geometry + color + shape + detail

    private static let geometry: [Entry] = [
        Entry("resize", ["size", "mode=fit", "filter=lanczos3", "upscale=false", "linear=false"]) { given in
            let box = try given.box("size")
            return Resize(
                width: box.width, height: box.height, mode: try given.choice("mode"), filter: try given.choice("filter"),
                upscales: try given.flag("upscale"), isLinear: try given.flag("linear"))
        },
        Entry("crop", ["x", "y", "width", "height"]) { given in
            Crop(
                x: try given.integer("x"), y: try given.integer("y"), width: try given.integer("width"),
                height: try given.integer("height"))
        },
        Entry("crop-to", ["area", "anchor=center"]) { given in
            CropTo(try area(given), anchor: try anchor(given))
        },
        Entry("trim", ["tolerance=0.04"]) { Trim(tolerance: try $0.number("tolerance")) },
        Entry("pad", ["size", "color=clear", "gravity=center"]) { given in
            Pad(to: try given.size("size"), color: try given.color("color"), gravity: try given.choice("gravity"))
        },
        Entry("rotate", ["degrees", "background=clear"]) { given in
            Rotate(degrees: try given.number("degrees"), background: try given.color("background"))
        },
        Entry("flip", ["direction=horizontal"]) { Flip(try $0.choice("direction")) },
    ]

    private static let color: [Entry] = [
        Entry("grayscale", ["amount=1"]) { ColorAdjustment(.grayscale(try $0.number("amount"))) },
        Entry("sepia", ["amount=1"]) { ColorAdjustment(.sepia(try $0.number("amount"))) },
        Entry("tint", ["color", "amount=1"]) { ColorAdjustment(.tint(try $0.color("color"), try $0.number("amount"))) },
        Entry("brightness", ["amount"]) { ColorAdjustment(.brightness(try $0.number("amount"))) },
        Entry("contrast", ["factor"]) { ColorAdjustment(.contrast(try $0.number("factor"))) },
        Entry("saturation", ["factor"]) { ColorAdjustment(.saturation(try $0.number("factor"))) },
        Entry("gamma", ["gamma"]) { Gamma(try $0.number("gamma")) },
        Entry("invert") { _ in ColorAdjustment(.invert) },
        Entry("background", ["color"]) { Background(try $0.color("color")) },
    ]

    private static let shape: [Entry] = [
        Entry("round", ["radius", "top-right=", "bottom-right=", "bottom-left="]) { RoundedCorners(try radii($0)) },
        Entry("circle") { _ in CircleCrop() },
        Entry("border", ["width", "color=black", "radius=0", "top-right=", "bottom-right=", "bottom-left="]) { given in
            let width = try given.length("width")
            return Border(width: width.value, unit: width.unit, color: try given.color("color"), radii: try radii(given))
        },
        Entry("overlay", ["image", "placement=bottom-right", "opacity=1", "margin=0"]) { given in
            let name = try given.text("image")
            guard let image = given.image else {
                throw ImageError(.invalidRequest, message: "No image named \"\(name)\" is available for an overlay.")
            }
            let margin = try given.integer("margin")
            let isTiled = try given.text("placement") == "tiled"
            return Overlay(
                try image(name), id: name,
                placement: isTiled ? .tiled(gap: margin) : .at(try given.choice("placement"), margin: margin),
                opacity: try given.number("opacity"))
        },
    ]

    private static let detail: [Entry] = [
        Entry("blur", ["radius"]) { Blur(sigma: try $0.number("radius")) },
        Entry("sharpen", ["radius=1", "amount=0.5", "threshold=0"]) { given in
            Sharpen(
                sigma: try given.number("radius"), amount: try given.number("amount"), threshold: try given.number("threshold"))
        },
        Entry("pixelate", ["block"]) { Pixelate(block: try $0.integer("block")) },
    ]

    /// The radius of the top left corner, and those of the others if they differ.
    private static func radii(_ given: ProcessorArguments) throws -> CornerRadii {
        let first = try given.length("radius")
        func corner(_ name: String) throws -> Double {
            guard given.has(name) else { return first.value }
            let radius = try given.length(name)
            guard radius.unit == first.unit || radius.value == 0 else {
                throw ImageError(
                    .invalidRequest, message: "The processor \(given.processor) needs all radii in pixels, or all in percent.")
            }
            return radius.value
        }
        return CornerRadii(
            topLeft: first.value, topRight: try corner("top-right"), bottomRight: try corner("bottom-right"),
            bottomLeft: try corner("bottom-left"), unit: first.unit)
    }

    /// `320x200`, or a ratio such as `16:9`.
    private static func area(_ given: ProcessorArguments) throws -> CropTo.Area {
        let text = try given.text("area")
        let sides = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
        if sides.count == 2, let width = sides[0], let height = sides[1] { return .aspectRatio(width: width, height: height) }
        return .size(try given.size("area"))
    }

    private static func anchor(_ given: ProcessorArguments) throws -> CropTo.Anchor {
        try given.text("anchor") == "attention" ? .attention : .gravity(try given.choice("anchor"))
    }
}
