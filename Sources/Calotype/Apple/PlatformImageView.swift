#if canImport(UIKit) || canImport(AppKit) || canImport(WatchKit)
    public import ImageCore

    /// A view of UIKit, AppKit or WatchKit that can show an image.
    ///
    /// Image views and buttons conform. Another view needs only ``calotypeShow(_:fade:)`` to get a `calotype` property
    /// of its own:
    ///
    /// ```swift
    /// extension CardView: PlatformImageView {
    ///     var calotype: CalotypeView<CardView> { CalotypeView(self) }
    ///     func calotypeShow(_ image: UIImage?, fade: Duration?) { front.image = image }
    /// }
    /// ```
    @MainActor public protocol PlatformImageView: AnyObject {
        /// The type of the images that the view shows: `UIImage` or `NSImage`.
        associatedtype PlatformImage

        /// Returns the image to show for a decoded image, in the scale of the view's screen; `nil` if it cannot be
        /// shown.
        func calotypeImage(_ image: DecodedImage) -> PlatformImage?
        /// Shows an image, or nothing for `nil`.
        ///
        /// - Parameters:
        ///   - image: the image to show.
        ///   - fade: the duration of the cross-dissolve; `nil` to show the image at once.
        func calotypeShow(_ image: PlatformImage?, fade: Duration?)
        /// Shows a colour as the placeholder, in front of what the view shows; `nil` removes it. The components are
        /// straight (not premultiplied), 0 to 1.
        func calotypeShowColor(_ color: PlaceholderColor?)
        /// Shows that the image loads or that its load failed; `nil` removes the sign.
        func calotypeShowIndicator(_ indicator: LoadIndicator?)
        /// What screen readers know about the view.
        var calotypeAccessibility: ViewAccessibility { get set }
        /// Whether the user prefers reduced motion.
        var calotypePrefersReducedMotion: Bool { get }
        /// The size that the view has for its image; ``ViewImageSize/unlimited`` for a view that shows images in their
        /// own size.
        var calotypeImageSize: ViewImageSize { get }
        /// Calls closures when the view comes on screen or leaves it, and when its size or its screen changes. Does
        /// nothing if the framework does not tell.
        func calotypeObserve(visibility: @escaping (Bool) -> Void, size: @escaping () -> Void)
    }

    extension PlatformImageView {
        public var calotypeImageSize: ViewImageSize { .unlimited }
    }

    /// The colour of a placeholder. The components are straight (not premultiplied), 0 to 1.
    public struct PlaceholderColor: Hashable, Sendable {
        /// The components.
        public var red, green, blue, alpha: Double
    }

    /// What screen readers know about a view.
    public struct ViewAccessibility: Hashable, Sendable {
        /// The text that they speak; `nil` for none.
        public var label: String?
        /// Whether they stop at the view.
        public var isElement: Bool

        /// Makes the value from its parts.
        public init(label: String?, isElement: Bool) { (self.label, self.isElement) = (label, isElement) }
    }

    /// A sign of the state of a load in front of a view.
    public enum LoadIndicator: Hashable, Sendable {
        /// The image loads.
        case spinner
        /// The image loads; the part of its bytes that has arrived, 0 to 1.
        case progress(Double)
        /// The load failed.
        case failure
    }

    /// Which signs of a load a view shows: ``CalotypeView/indicators``.
    public struct LoadIndicators: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// A spinner while the image loads.
        public static let spinner = LoadIndicators(rawValue: 1)
        /// A progress bar, once the size of the file is known.
        public static let progress = LoadIndicators(rawValue: 2)
        /// A warning sign if the load fails and there is no failure image.
        public static let failure = LoadIndicators(rawValue: 4)
        /// All of them.
        public static let all: LoadIndicators = [.spinner, .progress, .failure]
    }
#endif
