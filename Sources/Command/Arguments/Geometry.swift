public import ArgumentParser
public import ImageCore
public import ImageKernels
internal import ImageProcessing

/// `WxH` in pixels; one side may be left out (`320x`, `x240`) and then follows from the image's shape.
struct SizeArgument: ExpressibleByArgument {
    let width: Int?
    let height: Int?

    init?(argument: String) {
        let parts = argument.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = SizeArgument.side(parts[0]), let height = SizeArgument.side(parts[1]),
            width.value != nil || height.value != nil
        else { return nil }
        (self.width, self.height) = (width.value, height.value)
    }

    /// `nil` for what is no side; a value of `nil` for an empty one.
    private static func side(_ text: Substring) -> (value: Int?, Void)? {
        if text.isEmpty { return (nil, ()) }
        guard let value = Int(text), (1...1_000_000).contains(value) else { return nil }
        return (value, ())
    }
}

/// `X,Y,W,H` in pixels.
struct CropArgument: ExpressibleByArgument {
    let x: Int
    let y: Int
    let width: Int
    let height: Int

    init?(argument: String) {
        let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2], let height = numbers[3],
            (0...1_000_000).contains(x), (0...1_000_000).contains(y),
            (1...1_000_000).contains(width), (1...1_000_000).contains(height)
        else { return nil }
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }
}

/// `COLUMNSxROWS` in characters.
struct GridArgument: ExpressibleByArgument {
    let columns: Int
    let rows: Int

    init?(argument: String) {
        let numbers = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let columns = numbers[0], let rows = numbers[1],
            (1...1000).contains(columns), (1...1000).contains(rows)
        else { return nil }
        (self.columns, self.rows) = (columns, rows)
    }
}

/// A gravity, or `attention`: where the most detail is.
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
