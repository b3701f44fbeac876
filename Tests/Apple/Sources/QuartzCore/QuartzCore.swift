// Layers that record their animations.
@_exported public import CoreGraphics

public struct CATransitionType: Hashable, Sendable { public static let fade = CATransitionType() }

open class CAAnimation: NSObject {
    public var duration: TimeInterval = 0
}
open class CATransition: CAAnimation {
    public var type = CATransitionType.fade
}

open class CALayer: NSObject {
    open var backgroundColor: CGColor?
    /// All animations so far, for tests.
    public private(set) var animations: [CAAnimation] = []
    open func add(_ animation: CAAnimation, forKey key: String?) { animations.append(animation) }
}
