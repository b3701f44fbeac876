// Views of AppKit that follow its rules for windows, hiding and sizes, and record what is set.
@_exported public import CoreGraphics
public import QuartzCore

public typealias NSSize = CGSize
public typealias NSPoint = CGPoint
public typealias NSRect = CGRect

open class NSImage {
    public let size: NSSize
    public let cgImage: CGImage?
    public init(cgImage: CGImage, size: NSSize) { (self.cgImage, self.size) = (cgImage, size) }
    public init?(systemSymbolName name: String, accessibilityDescription: String?) { (cgImage, size) = (nil, NSSize()) }
}

@MainActor open class NSView: NSObject {
    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let minXMargin = AutoresizingMask(rawValue: 1)
        public static let width = AutoresizingMask(rawValue: 2)
        public static let maxXMargin = AutoresizingMask(rawValue: 4)
        public static let minYMargin = AutoresizingMask(rawValue: 8)
        public static let height = AutoresizingMask(rawValue: 16)
        public static let maxYMargin = AutoresizingMask(rawValue: 32)
    }

    public init(frame: NSRect) {
        size = frame.size
        super.init()
    }
    public override convenience init() { self.init(frame: .zero) }

    private var size: NSSize
    open var autoresizingMask: AutoresizingMask = []
    open var bounds: NSRect { NSRect(origin: .zero, size: size) }
    open func setFrameSize(_ newSize: NSSize) {
        let (width, height) = (newSize.width - size.width, newSize.height - size.height)
        size = newSize
        for view in subviews {
            var size = view.size
            if view.autoresizingMask.contains(.width) { size.width += width }
            if view.autoresizingMask.contains(.height) { size.height += height }
            if size != view.size { view.setFrameSize(size) }
        }
    }

    public private(set) var subviews: [NSView] = []
    public private(set) weak var superview: NSView?
    public internal(set) weak var window: NSWindow? {
        didSet {
            guard window !== oldValue else { return }
            viewDidMoveToWindow()
            for view in subviews { view.window = window }
        }
    }
    open func viewDidMoveToWindow() {}
    open func addSubview(_ view: NSView) {
        view.removeFromSuperview()
        subviews.append(view)
        view.superview = self
        view.window = window
    }
    open func removeFromSuperview() {
        superview?.subviews.removeAll { $0 === self }
        superview = nil
        window = nil
    }

    open var isHidden = false { didSet { if isHidden != oldValue { didChangeHidden(isHidden) } } }
    private func didChangeHidden(_ isHidden: Bool) {
        if isHidden { viewDidHide() } else { viewDidUnhide() }
        for view in subviews where !view.isHidden { view.didChangeHidden(isHidden) }
    }
    open var isHiddenOrHasHiddenAncestor: Bool { isHidden || superview?.isHiddenOrHasHiddenAncestor == true }
    /// Lays out the view and its subviews.
    open func layoutSubtreeIfNeeded() {
        layout()
        for view in subviews { view.layoutSubtreeIfNeeded() }
    }
    open func layout() {}
    open func viewDidHide() {}
    open func viewDidUnhide() {}
    open func viewDidChangeBackingProperties() {}
    open func hitTest(_ point: NSPoint) -> NSView? { subviews.last?.hitTest(point) ?? self }

    open var alphaValue: CGFloat = 1
    open var wantsLayer = false { didSet { if wantsLayer, layer == nil { layer = CALayer() } } }
    open var layer: CALayer?

    private var label: String?
    private var isElement = false
    open func accessibilityLabel() -> String? { label }
    open func setAccessibilityLabel(_ label: String?) { self.label = label }
    open func isAccessibilityElement() -> Bool { isElement }
    open func setAccessibilityElement(_ isElement: Bool) { self.isElement = isElement }
}

open class NSControl: NSView {}

public enum NSImageScaling: UInt, Sendable {
    case scaleProportionallyDown, scaleAxesIndependently, scaleNone, scaleProportionallyUpOrDown
}

open class NSImageView: NSControl {
    open var image: NSImage?
    open var imageScaling = NSImageScaling.scaleProportionallyDown
}

open class NSButton: NSControl {
    open var image: NSImage?
}

open class NSProgressIndicator: NSView {
    public enum Style: UInt, Sendable { case bar, spinning }
    open var style = Style.bar
    open var isIndeterminate = true
    open var minValue = 0.0
    open var maxValue = 100.0
    open var doubleValue = 0.0
    open func startAnimation(_ sender: Any?) {}
}

@MainActor open class NSScreen {
    public static var main: NSScreen? { nil }
    public var backingScaleFactor: CGFloat { 1 }
}

@MainActor open class NSWindow: NSObject {
    /// Tests set the scale.
    public var backingScaleFactor: CGFloat = 2
    public struct OcclusionState: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let visible = OcclusionState(rawValue: 1 << 1)
    }
    public nonisolated static let didChangeOcclusionStateNotification = Notification.Name(
        "NSWindowDidChangeOcclusionStateNotification")
    /// Tests set this. As in AppKit, a window is not visible before it is shown, and tells when that changes.
    public var occlusionState: OcclusionState = [] {
        didSet { NotificationCenter.default.post(name: NSWindow.didChangeOcclusionStateNotification, object: self) }
    }
    public var contentView: NSView? {
        didSet {
            oldValue?.window = nil
            contentView?.window = self
        }
    }
    public override init() {}
}

@MainActor open class NSWorkspace {
    public static let shared = NSWorkspace()
    public var accessibilityDisplayShouldReduceMotion = false
    /// Not the default one.
    public let notificationCenter = NotificationCenter()
    public nonisolated static let accessibilityDisplayOptionsDidChangeNotification = Notification.Name(
        "NSWorkspaceAccessibilityDisplayOptionsDidChangeNotification")
}
