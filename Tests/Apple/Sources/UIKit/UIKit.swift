// Views of UIKit that record what is set.
@_exported public import CoreGraphics

public final class UIColor: Sendable {
    public let components: [CGFloat]
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) { components = [red, green, blue, alpha] }
}

open class UIImage {
    public let cgImage: CGImage?
    public init(cgImage: CGImage) { self.cgImage = cgImage }
}

@MainActor open class UIView {
    public struct AnimationOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let transitionCrossDissolve = AnimationOptions(rawValue: 1)
        public static let allowUserInteraction = AnimationOptions(rawValue: 2)
    }

    public init() {}
    open var backgroundColor: UIColor?
    open var accessibilityLabel: String?
    /// What the view shows, for tests.
    public struct Appearance {
        public var backgroundColor: UIColor?
        public var image: UIImage?
    }
    open var appearance: Appearance { Appearance(backgroundColor: backgroundColor) }
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

open class UIImageView: UIView {
    open var image: UIImage?
    open override var appearance: Appearance { Appearance(backgroundColor: backgroundColor, image: image) }
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

@MainActor public enum UIAccessibility {
    /// Tests set this.
    public static var isReduceMotionEnabled = false
}

// Apps and lists.

@MainActor open class UIApplication {
    public nonisolated static let didEnterBackgroundNotification = Notification.Name(
        "UIApplicationDidEnterBackgroundNotification")
    public nonisolated static let didReceiveMemoryWarningNotification = Notification.Name(
        "UIApplicationDidReceiveMemoryWarningNotification")
}

@MainActor public protocol UICollectionViewDataSourcePrefetching: NSObjectProtocol {
    func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath])
    func collectionView(_ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath])
}

@MainActor public protocol UITableViewDataSourcePrefetching: NSObjectProtocol {
    func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath])
    func tableView(_ tableView: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath])
}

open class UICollectionView: UIView {
    open weak var prefetchDataSource: (any UICollectionViewDataSourcePrefetching)?
}

open class UITableView: UIView {
    open weak var prefetchDataSource: (any UITableViewDataSourcePrefetching)?
}
