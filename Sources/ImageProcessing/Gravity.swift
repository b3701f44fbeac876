internal import ImageCore

/// The position of a smaller area in a larger one.
public enum Gravity: String, Hashable, Sendable, CaseIterable {
    /// At the top, on the left.
    case topLeft = "top-left"
    /// At the top, in the middle.
    case top
    /// At the top, on the right.
    case topRight = "top-right"
    /// In the middle, on the left.
    case left
    /// In the middle of both axes.
    case center
    /// In the middle, on the right.
    case right
    /// At the bottom, on the left.
    case bottomLeft = "bottom-left"
    /// At the bottom, in the middle.
    case bottom
    /// At the bottom, on the right.
    case bottomRight = "bottom-right"

    /// The share of the free space that is on the left: 0, ½ or 1.
    public var horizontal: Double {
        switch self {
        case .topLeft, .left, .bottomLeft: 0
        case .top, .center, .bottom: 0.5
        case .topRight, .right, .bottomRight: 1
        }
    }

    /// The share of the free space that is at the top: 0, ½ or 1.
    public var vertical: Double {
        switch self {
        case .topLeft, .top, .topRight: 0
        case .left, .center, .right: 0.5
        case .bottomLeft, .bottom, .bottomRight: 1
        }
    }

    /// Returns the top left corner of the part; negative if the part is larger. An odd pixel of space is on the right
    /// or at the bottom.
    func place(_ part: PixelSize, in whole: PixelSize) -> (x: Int, y: Int) {
        func offset(_ room: Int, _ share: Double) -> Int { Int((Double(room) * share).rounded(.down)) }
        return (offset(whole.width - part.width, horizontal), offset(whole.height - part.height, vertical))
    }
}
