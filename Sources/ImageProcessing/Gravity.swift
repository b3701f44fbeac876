internal import ImageCore

/// The position of a smaller area in a larger one.
public enum Gravity: String, Hashable, Sendable, CaseIterable {
    case topLeft = "top-left"
    case top
    case topRight = "top-right"
    case left
    case center
    case right
    case bottomLeft = "bottom-left"
    case bottom
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

    /// Returns the top left corner of the part; negative if the part is larger. An odd pixel of space is on the right or at the
    /// bottom.
    func place(_ part: PixelSize, in whole: PixelSize) -> (x: Int, y: Int) {
        func offset(_ room: Int, _ share: Double) -> Int { Int((Double(room) * share).rounded(.down)) }
        return (offset(whole.width - part.width, horizontal), offset(whole.height - part.height, vertical))
    }
}
