// Interface objects that record what is set.
public import UIKit

@MainActor open class WKInterfaceObject {
    public init() {}
    public private(set) var label: String?
    open func setAccessibilityLabel(_ label: String?) { self.label = label }
}

open class WKInterfaceImage: WKInterfaceObject {
    public private(set) var image: UIImage?
    open func setImage(_ image: UIImage?) { self.image = image }
}

@MainActor open class WKInterfaceDevice {
    private static let device = WKInterfaceDevice()
    open class func current() -> WKInterfaceDevice { device }
    public var screenScale: CGFloat { 2 }
}

/// Tests set this.
public nonisolated(unsafe) var isMotionReducedOnWatch = false
public func WKAccessibilityIsReduceMotionEnabled() -> Bool { isMotionReducedOnWatch }
extension Notification.Name {
    public static let WKAccessibilityReduceMotionStatusDidChange = Notification.Name(
        "WKAccessibilityReduceMotionStatusDidChangeNotification")
}
