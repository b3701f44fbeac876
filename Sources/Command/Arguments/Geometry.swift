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

/// `X,Y,W,H` in pixels.
struct CropArgument: ExpressibleByArgument {
    let x: Int
    let y: Int
    let width: Int
    let height: Int

    init?(argument: String) {
        let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
        guard numbers.count == 4, numbers.allSatisfy((0...1_000_000).contains), numbers[2] > 0, numbers[3] > 0
        else { return nil }
        (x, y, width, height) = (numbers[0], numbers[1], numbers[2], numbers[3])
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

extension ContentMode: ExpressibleByArgument {}

extension ResampleFilter: ExpressibleByArgument {}
