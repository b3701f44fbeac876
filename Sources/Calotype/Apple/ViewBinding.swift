#if canImport(UIKit) || canImport(AppKit) || canImport(WatchKit)
    internal import CoreGraphics
    internal import Foundation
    internal import ImageCore
    internal import ImageTargets

    /// The target of one view, the loader from which it gets its images, and what is known about the view.
    @MainActor final class ViewBinding {
        let adapter: PlatformViewAdapter
        private(set) var target: ImageTarget<PlatformViewAdapter>?
        private var loader: (any ImageProviding)?
        /// What the app reported.
        var isVisibleToApp = true { didSet { updateVisibility() } }
        /// What the framework reported.
        private var isOnScreen = true { didSet { updateVisibility() } }
        private var isInBackground = false { didSet { updateVisibility() } }
        private var observers: [NotificationObserver] = []

        private init(_ view: any PlatformImageView) {
            adapter = PlatformViewAdapter(showing: view)
            view.calotypeObserve(
                visibility: { [weak self] in self?.isOnScreen = $0 }, size: { [weak self] in self?.target?.viewSizeChanged() })
            observers = AppEvent.observe(
                motionPreference: { [weak self] in self?.target?.motionPreferenceChanged() },
                background: { [weak self] in self?.isInBackground = $0 })
        }

        /// Returns the target for a loader. Another loader than before gets a new target.
        func target(for loader: any ImageProviding) -> ImageTarget<PlatformViewAdapter> {
            if let target, let current = self.loader, isSame(current, loader) { return target }
            target?.cancel()
            let target = ImageTarget(adapter, loader: loader)
            (self.target, self.loader) = (target, loader)
            updateVisibility()
            return target
        }

        private func updateVisibility() { target?.setVisible(isVisibleToApp && isOnScreen && !isInBackground) }

        /// Returns the binding of a view, which lives as long as the view.
        static func of(_ view: any PlatformImageView) -> ViewBinding {
            if let binding = existing(of: view) { return binding }
            let binding = ViewBinding(view)
            set(binding, of: view)
            return binding
        }

        /// The binding is an associated object of its view.
        private static var key: UInt8 = 0

        /// Returns the binding of a view that has one.
        static func existing(of view: AnyObject) -> ViewBinding? {
            unsafe objc_getAssociatedObject(view, &key) as? ViewBinding
        }

        private static func set(_ binding: ViewBinding, of view: AnyObject) {
            unsafe objc_setAssociatedObject(view, &key, binding, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
        }
    }

    extension CGSize {
        /// The size in points as whole pixels, rounded up.
        func pixels(_ scale: CGFloat) -> PixelSize {
            PixelSize(width: Int((width * scale).rounded(.up)), height: Int((height * scale).rounded(.up)))
        }
    }

    /// Whether two loaders are the same object. Loaders that are values are the same if they have the same type.
    func isSame(_ one: any ImageProviding, _ other: any ImageProviding) -> Bool {
        type(of: one) is AnyClass ? one as AnyObject === other as AnyObject : type(of: one) == type(of: other)
    }
#endif
