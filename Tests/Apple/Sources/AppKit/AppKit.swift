// Views of AppKit that record what is set.
@_exported public import CoreGraphics

public typealias NSSize = CGSize

open class NSImage {
    public let size: NSSize
    public let cgImage: CGImage
    public init(cgImage: CGImage, size: NSSize) { (self.cgImage, self.size) = (cgImage, size) }
}

@MainActor open class NSView {
    public init() {}
    open var alphaValue: CGFloat = 1
    public private(set) var label: String?
    open func setAccessibilityLabel(_ label: String?) { self.label = label }
    open func animator() -> Self { self }
}

open class NSImageView: NSView {
    open var image: NSImage?
}

open class NSButton: NSView {
    open var image: NSImage?
}

@MainActor open class NSAnimationContext {
    public var duration: TimeInterval = 0
    open class func runAnimationGroup(_ changes: (NSAnimationContext) -> Void) { changes(NSAnimationContext()) }
}

@MainActor open class NSWorkspace {
    public static let shared = NSWorkspace()
    public var accessibilityDisplayShouldReduceMotion = false
}
