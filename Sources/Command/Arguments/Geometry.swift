public import ArgumentParser
public import ImageCore
public import ImageKernels
internal import ImageProcessing

/// `WxH` in pixels or characters. One side may be left out (`320x`, `x240`); it then follows from the image's aspect
/// ratio.
struct SizeArgument: ExpressibleByArgument {
    let width: Int?
    let height: Int?

    init?(argument: String) {
        let sides = argument.split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, argument != "x", sides.allSatisfy({ $0.isEmpty || (1...1_000_000).contains(Int($0) ?? 0) })
        else { return nil }
        (width, height) = (Int(sides[0]), Int(sides[1]))
    }
}

/// A gravity, or `attention`: the part of the image with the most detail.
struct GravityArgument: ExpressibleByArgument {
    let anchor: CropTo.Anchor

    init?(argument: String) {
        if argument == CropTo.Anchor.attention.name {
            anchor = .attention
        } else if let gravity = Gravity(rawValue: argument) {
            anchor = .gravity(gravity)
        } else {
            return nil
        }
    }

    static var names: String { (Gravity.allCases.map(\.rawValue) + [CropTo.Anchor.attention.name]).joined(separator: ", ") }
}

extension ImageContentMode: ExpressibleByArgument {}

extension ResampleFilter: ExpressibleByArgument {}
