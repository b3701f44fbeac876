// Views of UIKit that follow its rules for windows, layout and autoresizing, and record what is set.
@_exported public import CoreGraphics

public final class UIColor: Sendable {
    public let components: [CGFloat]
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) { components = [red, green, blue, alpha] }
    public static let systemGray = UIColor(red: 0.56, green: 0.56, blue: 0.58, alpha: 1)
}

open class UIImage {
    public enum Orientation: Int, Sendable { case up }
    public enum RenderingMode: Int, Sendable { case automatic, alwaysOriginal, alwaysTemplate }
    public let cgImage: CGImage?
    public let scale: CGFloat
    public private(set) var renderingMode = RenderingMode.automatic
    public let symbolName: String?

    public init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) {
        (self.cgImage, self.scale, symbolName) = (cgImage, scale, nil)
    }
    public init(cgImage: CGImage) { (self.cgImage, scale, symbolName) = (cgImage, 1, nil) }
    public init?(systemName: String) { (cgImage, scale, symbolName) = (nil, 1, systemName) }
    open func withRenderingMode(_ mode: RenderingMode) -> UIImage {
        guard let cgImage else { return self }
        let copy = UIImage(cgImage: cgImage, scale: scale, orientation: .up)
        copy.renderingMode = mode
        return copy
    }
    /// In points.
    public var size: CGSize {
        CGSize(width: CGFloat(cgImage?.width ?? 0) / scale, height: CGFloat(cgImage?.height ?? 0) / scale)
    }
}

public struct UITraitCollection: Sendable {
    public var displayScale: CGFloat
}

@MainActor open class UIView: NSObject {
    public struct AnimationOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let transitionCrossDissolve = AnimationOptions(rawValue: 1)
        public static let allowUserInteraction = AnimationOptions(rawValue: 2)
    }
    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let flexibleLeftMargin = AutoresizingMask(rawValue: 1)
        public static let flexibleWidth = AutoresizingMask(rawValue: 2)
        public static let flexibleRightMargin = AutoresizingMask(rawValue: 4)
        public static let flexibleTopMargin = AutoresizingMask(rawValue: 8)
        public static let flexibleHeight = AutoresizingMask(rawValue: 16)
        public static let flexibleBottomMargin = AutoresizingMask(rawValue: 32)
    }
    public enum ContentMode: Int, Sendable {
        case scaleToFill, scaleAspectFit, scaleAspectFill, redraw, center, top, bottom, left, right, topLeft, topRight,
            bottomLeft, bottomRight
    }

    public init(frame: CGRect) {
        (origin, bounds) = (frame.origin, CGRect(origin: .zero, size: frame.size))
        super.init()
    }
    public override convenience init() { self.init(frame: .zero) }

    // MARK: Places

    private var origin: CGPoint
    private var needsLayout = true
    open var autoresizingMask: AutoresizingMask = []
    open var bounds: CGRect {
        didSet {
            guard bounds.size != oldValue.size else { return }
            needsLayout = true
            for view in subviews { view.autoresize(bounds.width - oldValue.width, bounds.height - oldValue.height) }
        }
    }
    open var frame: CGRect {
        get { CGRect(origin: origin, size: bounds.size) }
        set { (origin, bounds) = (newValue.origin, CGRect(origin: .zero, size: newValue.size)) }
    }
    open var center: CGPoint {
        get { CGPoint(x: frame.midX, y: frame.midY) }
        set { origin = CGPoint(x: newValue.x - bounds.width / 2, y: newValue.y - bounds.height / 2) }
    }
    private func autoresize(_ width: CGFloat, _ height: CGFloat) {
        if autoresizingMask.contains(.flexibleWidth) { bounds.size.width += width }
        if autoresizingMask.contains(.flexibleHeight) { bounds.size.height += height }
    }
    open func setNeedsLayout() { needsLayout = true }
    /// UIKit lays out only what is in a window; `layoutIfNeeded` lays out a view and its subviews.
    open func layoutIfNeeded() {
        if needsLayout {
            needsLayout = false
            layoutSubviews()
        }
        for view in subviews { view.layoutIfNeeded() }
    }
    open func layoutSubviews() {}

    // MARK: The hierarchy

    public private(set) var subviews: [UIView] = []
    public private(set) weak var superview: UIView?
    public internal(set) weak var window: UIWindow? {
        didSet {
            guard window !== oldValue else { return }
            didMoveToWindow()
            for view in subviews { view.window = window }
        }
    }
    open func didMoveToWindow() {}
    open func addSubview(_ view: UIView) {
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
    /// Views outside of a window have the traits of the main screen.
    open var traitCollection: UITraitCollection { UITraitCollection(displayScale: window?.screenScale ?? 2) }

    // MARK: Looks

    open var backgroundColor: UIColor?
    open var tintColor: UIColor?
    open var isHidden = false
    open var clipsToBounds = false
    open var isUserInteractionEnabled = true
    open var contentMode = ContentMode.scaleToFill
    open var isAccessibilityElement = false
    open var accessibilityLabel: String?
    /// What the view shows, for tests. A subview that covers it counts as its background.
    public struct Appearance {
        public var backgroundColor: UIColor?
        public var image: UIImage?
    }
    open var appearance: Appearance {
        Appearance(backgroundColor: subviews.compactMap(\.backgroundColor).last ?? backgroundColor)
    }
    /// The durations of all transitions in seconds, for tests.
    public private(set) var transitions: [TimeInterval] = []
    /// What the view showed before the last transition, for tests.
    public private(set) var previousAppearance: Appearance?

    open class func transition(
        with view: UIView, duration: TimeInterval, options: AnimationOptions = [], animations: (() -> Void)?,
        completion: ((Bool) -> Void)? = nil
    ) {
        view.transitions.append(duration)
        view.previousAppearance = view.appearance
        animations?()
        completion?(true)
    }
}

open class UIWindow: UIView {
    /// The scale of the screen, for tests.
    public var screenScale: CGFloat = 2
    public override init(frame: CGRect) {
        super.init(frame: frame)
        window = self
    }
}

open class UIImageView: UIView {
    open var image: UIImage?
    public override init(frame: CGRect) { super.init(frame: frame) }
    public convenience init(image: UIImage?) {
        self.init(frame: CGRect(origin: .zero, size: image?.size ?? .zero))
        self.image = image
    }
    open override var appearance: Appearance { Appearance(backgroundColor: super.appearance.backgroundColor, image: image) }
}

open class UIControl: UIView {
    public struct State: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let normal = State([])
    }
}

open class UIButton: UIControl {
    private var images: [State: UIImage] = [:]
    open func setImage(_ image: UIImage?, for state: State) { images[state] = image }
    open func image(for state: State) -> UIImage? { images[state] }
}

open class UIActivityIndicatorView: UIView {
    public enum Style: Int, Sendable { case medium, large }
    public init(style: Style) { super.init(frame: CGRect(x: 0, y: 0, width: 20, height: 20)) }
    public private(set) var isAnimating = false
    open func startAnimating() { isAnimating = true }
}

open class UIProgressView: UIView {
    public enum Style: Int, Sendable { case `default`, bar }
    public init(progressViewStyle: Style) { super.init(frame: CGRect(x: 0, y: 0, width: 0, height: 4)) }
    public private(set) var progress: Float = 0
    open func setProgress(_ progress: Float, animated: Bool) { self.progress = progress }
}

@MainActor public enum UIAccessibility {
    /// Tests set this.
    public static var isReduceMotionEnabled = false
    public nonisolated static let reduceMotionStatusDidChangeNotification = Notification.Name(
        "UIAccessibilityReduceMotionStatusDidChange")
}
