#if canImport(SwiftUI) && canImport(CoreGraphics)
    public import ImageCore
    public import SwiftUI

    /// A SwiftUI view that shows an image, and a placeholder until the image is loaded.
    ///
    /// ```swift
    /// func avatar(_ url: URL?) -> some View {
    ///     CalotypeImage(url: url, size: PixelSize(60, scale: 3))
    ///         .placeholder { ProgressView() }
    ///         .failure { error in Text(error.message) }
    ///         .transition(.fade(.milliseconds(250)))
    ///         .frame(width: 60, height: 60)
    /// }
    /// ```
    ///
    /// The view takes the size that it is offered, and so does the image. The request gets that size in pixels unless
    /// it, or an option, sets one; ``contentMode(_:)`` says how the image is scaled to it. Images come from
    /// ``ImageLoader/shared``, or from the `imageLoader` of the environment. Without closures for them, the view shows
    /// the options ``LoadOptions/placeholder`` and ``LoadOptions/failureImage``; without a failure image, the
    /// placeholder stays.
    public struct CalotypeImage: View {
        private var request: ImageRequest?
        private var content: (Image) -> AnyView = { AnyView($0.resizable()) }
        private var placeholder: AnyView?
        private var failure: ((ImageError) -> AnyView)?
        private var onLoop: (@MainActor (AnimationPlaybackState) -> Void)?
        private var completions: [@MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void] = []

        /// Makes a view that shows the image at a URL.
        ///
        /// - Parameters:
        ///   - url: the URL of the image; `nil` shows the placeholder and loads nothing.
        ///   - size: the box in pixels that the image is scaled down to; `nil`, the default, leaves it to the loader's
        ///     options.
        ///   - processors: the processors to run on the image, in order; an empty list, the default, leaves them to the
        ///     loader's options.
        ///   - placeholder: the view to show until the image is loaded, and if the load fails; by default the
        ///     placeholder of the options.
        public init<P: View>(
            url: URL?, size: PixelSize? = nil, processors: [any Processing] = [],
            @ViewBuilder placeholder: () -> P = { EmptyView() }
        ) {
            self.init(optional: url.map { ImageRequest(url: $0, size: size, processors: processors) }, placeholder())
        }

        /// Makes a view that shows the image of a request.
        ///
        /// - Parameters:
        ///   - request: the image to show.
        ///   - placeholder: the view to show until the image is loaded, and if the load fails; by default the
        ///     placeholder of the options.
        public init<P: View>(_ request: ImageRequest, @ViewBuilder placeholder: () -> P = { EmptyView() }) {
            self.init(optional: request, placeholder())
        }

        /// Makes a view from the image at a URL, with the arguments of SwiftUI's `AsyncImage`.
        ///
        /// - Parameters:
        ///   - url: the URL of the image; `nil` shows the placeholder and loads nothing.
        ///   - content: makes the view of the image, which is not resizable yet.
        ///   - placeholder: the view to show until the image is loaded, and if the load fails.
        public init<V: View, P: View>(
            url: URL?, @ViewBuilder content: @escaping (Image) -> V, @ViewBuilder placeholder: () -> P
        ) {
            self.init(optional: url.map { ImageRequest(url: $0) }, placeholder())
            self.content = { AnyView(content($0)) }
        }

        private init<P: View>(optional request: ImageRequest?, _ placeholder: P) {
            self.request = request
            if P.self != EmptyView.self { self.placeholder = AnyView(placeholder) }
        }

        public var body: some View {
            let label = request?.options.accessibilityLabel
            let mode = request?.options.contentMode ?? .fit
            PhaseContainer(
                request: request, mode: mode, observesProgress: false, completion: completion, onAnimationLoop: onLoop
            ) { store in
                switch store.phase {
                case .success(let image): BitmapImage(image: image, label: label, content: content)
                case .failure(let error):
                    if let failure {
                        failure(error)
                    } else if let image = store.model?.failureImage {
                        BitmapImage(image: image, label: label, content: content)
                    } else {
                        waiting(store)
                    }
                case .empty, .loading: waiting(store)
                }
            }
        }

        @ViewBuilder private func waiting(_ store: PhaseStore) -> some View {
            if let placeholder {
                placeholder
            } else if case .image(let image)? = store.model?.placeholder {
                BitmapImage(image: image, label: nil, content: content)
            } else if case .color(let red, let green, let blue, let alpha)? = store.model?.placeholder {
                Color(red: red, green: green, blue: blue, opacity: alpha)
            }
        }

        private var completion: (@MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void)? {
            guard !completions.isEmpty else { return nil }
            return { [completions] result in for completion in completions { completion(result) } }
        }

        private func with(_ change: (inout Self) -> Void) -> Self {
            var copy = self
            change(&copy)
            return copy
        }
    }

    extension CalotypeImage {
        /// Sets the view to show until the image is loaded, and if the load fails.
        public func placeholder(@ViewBuilder _ placeholder: () -> some View) -> Self {
            let view = AnyView(placeholder())
            return with { $0.placeholder = view }
        }

        /// Sets the view to show if the load fails, instead of the failure image of the options and the placeholder.
        public func failure(@ViewBuilder _ failure: @escaping (ImageError) -> some View) -> Self {
            with { $0.failure = { AnyView(failure($0)) } }
        }

        /// Sets how the image is scaled to the size of the view: `.fit` shows the whole image, `.fill` covers the view
        /// and crops the image, `.exact` stretches it. Without this call it is loaded to fit, and resizable.
        public func contentMode(_ mode: ImageContentMode) -> Self {
            with {
                $0.request?.options.contentMode = mode
                switch mode {
                case .fit: $0.content = { AnyView($0.resizable().scaledToFit()) }
                case .fill: $0.content = { AnyView($0.resizable().scaledToFill()) }
                case .exact: $0.content = { AnyView($0.resizable()) }
                }
            }
        }

        /// Sets how the image is shown; without this call it is resizable.
        ///
        /// - Parameter content: makes the view of the image, which is not resizable yet.
        public func content(@ViewBuilder _ content: @escaping (Image) -> some View) -> Self {
            with { $0.content = { AnyView(content($0)) } }
        }

        /// Sets how a loaded image appears: ``LoadOptions/transition``.
        public func transition(_ transition: ImageTransition) -> Self {
            with { $0.request?.options.transition = transition }
        }

        /// Sets how often an animation is shown, instead of as often as the file says: ``LoadOptions/animationPlays``.
        ///
        /// - Parameter plays: how often in all; 0 for ever.
        public func animationPlays(_ plays: Int?) -> Self { with { $0.request?.options.animationPlays = plays } }

        /// Sets whether an animation plays; if not, the view keeps the frame that it shows. A change starts or stops
        /// the animation: ``LoadOptions/autoplays``.
        public func playsAnimation(_ plays: Bool) -> Self { with { $0.request?.options.autoplays = plays } }

        /// Sets a closure to call on the main actor when the last frame of an animation has been shown for its time.
        public func onAnimationLoop(_ body: @escaping @MainActor (AnimationPlaybackState) -> Void) -> Self {
            with { $0.onLoop = body }
        }

        /// Sets the priority of the load: ``LoadOptions/priority``.
        public func priority(_ priority: LoadPriority) -> Self { with { $0.request?.options.priority = priority } }

        /// Sets the processors to run on the image, in order: ``LoadOptions/processors``.
        public func processors(_ processors: [any Processing]) -> Self {
            with { $0.request?.options.processors = processors }
        }

        /// Sets the text that a screen reader speaks: ``LoadOptions/accessibilityLabel``. Without one it skips the
        /// image.
        public func label(_ label: String?) -> Self {
            with { $0.request?.options.accessibilityLabel = label }
        }

        /// Adds a closure to call with the result of each request.
        ///
        /// - Parameter body: called on the main actor once per request; not called if the request is replaced.
        public func onCompletion(_ body: @escaping @MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void) -> Self {
            with { $0.completions.append(body) }
        }

        /// Adds a closure to call on the main actor with each image that was loaded.
        public func onSuccess(_ body: @escaping @MainActor @Sendable (ImageResponse) -> Void) -> Self {
            onCompletion { if case .success(let response) = $0 { body(response) } }
        }

        /// Adds a closure to call on the main actor with the error of each load that failed.
        public func onFailure(_ body: @escaping @MainActor @Sendable (ImageError) -> Void) -> Self {
            onCompletion { if case .failure(.failed(let error)) = $0 { body(error) } }
        }
    }

    /// The pixels of an image. The `CGImage` is kept with the bitmap, so that evaluating the body again makes no new
    /// one.
    private struct BitmapImage: View {
        let image: DecodedImage
        let label: String?
        let content: (Image) -> AnyView
        @Environment(\.displayScale) private var scale

        var body: some View {
            if let cgImage = image.bitmap.makeCGImage() {
                content(
                    label.map { Image(cgImage, scale: scale, label: Text($0)) } ?? Image(decorative: cgImage, scale: scale))
            }
        }
    }
#endif
