#if canImport(SwiftUI) && canImport(CoreGraphics)
    public import ImageCore
    public import SwiftUI

    extension EnvironmentValues {
        /// Loads the images of the views in this environment. Without it, they show their placeholders.
        public var imageLoader: (any ImageProviding)? {
            get { self[ImageLoaderKey.self] }
            set { self[ImageLoaderKey.self] = newValue }
        }
    }

    private struct ImageLoaderKey: EnvironmentKey {
        static let defaultValue: (any ImageProviding)? = nil
    }

    /// A SwiftUI view that shows an image, and a placeholder until the image is loaded.
    ///
    /// The loader comes from the environment; see `EnvironmentValues.imageLoader`.
    public struct CalotypeImage<PlaceholderView: View>: View {
        private let request: ImageRequest?
        private let placeholder: PlaceholderView
        private var completion: (@MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void)?

        /// Makes a view that shows the image at a URL.
        ///
        /// - Parameters:
        ///   - url: the URL of the image; `nil` shows the placeholder and loads nothing.
        ///   - size: the box in pixels that the image is scaled down to; `nil`, the default, leaves it to the loader's options.
        ///   - processors: the processors to run on the image, in order; an empty list, the default, leaves them to the loader's
        ///     options.
        ///   - placeholder: the view to show until the image is loaded, and if the load fails.
        public init(
            url: URL?, size: PixelSize? = nil, processors: [any Processing] = [],
            @ViewBuilder placeholder: () -> PlaceholderView
        ) {
            request = url.map { ImageRequest(url: $0, size: size, processors: processors) }
            self.placeholder = placeholder()
        }

        /// Makes a view that shows the image of a request.
        ///
        /// - Parameters:
        ///   - request: the image to show.
        ///   - placeholder: the view to show until the image is loaded, and if the load fails.
        public init(_ request: ImageRequest, @ViewBuilder placeholder: () -> PlaceholderView) {
            self.request = request
            self.placeholder = placeholder()
        }

        /// Sets a closure to call with the result of each request.
        ///
        /// - Parameter body: called on the main actor once per request; not called if the request is replaced.
        public func onCompletion(_ body: @escaping @MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void) -> Self {
            var copy = self
            copy.completion = body
            return copy
        }

        public var body: some View {
            CalotypePhaseView(optional: request, completion: completion) { phase in
                if case .success(let image) = phase, let cgImage = image.bitmap.makeCGImage() {
                    Image(decorative: cgImage, scale: 1).resizable()
                } else {
                    placeholder
                }
            }
        }
    }

    /// A SwiftUI view that the caller makes from the phase of a load.
    ///
    /// The loader comes from the environment; see `EnvironmentValues.imageLoader`.
    public struct CalotypePhaseView<Content: View>: View {
        private let request: ImageRequest?
        private let completion: (@MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void)?
        private let content: (ImagePhase) -> Content
        @Environment(\.imageLoader) private var loader
        @Environment(\.accessibilityReduceMotion) private var isMotionReduced
        @State private var phase = ImagePhase.empty
        @State private var model: ImagePhaseModel?

        /// Makes a view of the phases of a request.
        ///
        /// - Parameters:
        ///   - request: the image to load.
        ///   - completion: called on the main actor once with the result; not called if the request is replaced. `nil` by default.
        ///   - content: makes the view of a phase.
        public init(
            _ request: ImageRequest, completion: (@MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void)? = nil,
            @ViewBuilder content: @escaping (ImagePhase) -> Content
        ) {
            self.init(optional: request, completion: completion, content: content)
        }

        /// Makes a view of the phases of the image at a URL.
        ///
        /// - Parameters:
        ///   - url: the URL of the image; for `nil` the phase is ``ImagePhase/empty``.
        ///   - size: the box in pixels that the image is scaled down to; `nil`, the default, leaves it to the loader's options.
        ///   - processors: the processors to run on the image, in order; an empty list, the default, leaves them to the loader's
        ///     options.
        ///   - completion: called on the main actor once with the result; not called if the request is replaced. `nil` by default.
        ///   - content: makes the view of a phase.
        public init(
            url: URL?, size: PixelSize? = nil, processors: [any Processing] = [],
            completion: (@MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void)? = nil,
            @ViewBuilder content: @escaping (ImagePhase) -> Content
        ) {
            let request = url.map { ImageRequest(url: $0, size: size, processors: processors) }
            self.init(optional: request, completion: completion, content: content)
        }

        fileprivate init(
            optional request: ImageRequest?, completion: (@MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void)?,
            @ViewBuilder content: @escaping (ImagePhase) -> Content
        ) {
            self.request = request
            self.completion = completion
            self.content = content
        }

        public var body: some View {
            // If the request has no label, the label of the content is kept.
            if let label = request?.options.accessibilityLabel {
                boundContent.accessibilityLabel(Text(label))
            } else {
                boundContent
            }
        }

        /// The content, which loads the image when it appears or another image is requested.
        private var boundContent: some View {
            content(phase)
                .onAppear { appear() }
                .onDisappear { model?.setVisible(false) }
                .onChange(of: identity) { _ in appear() }
        }

        /// Changes when another image is requested, for example with another size or other processors.
        private var identity: BindingState.Identity? {
            // If an option is out of range, the load reports it.
            guard let request else { return nil }
            return BindingState.identity(request, (try? loader?.options(for: request)) ?? LoadOptions())
        }

        private func appear() {
            guard let loader else { return }
            let model = self.model ?? ImagePhaseModel(loader: loader)
            self.model = model
            model.isMotionReduced = isMotionReduced
            model.onChange = { [weak model] phase in
                guard case .fade(let time)? = model?.transition, case .success = phase else { return self.phase = phase }
                withAnimation(.easeInOut(duration: time / .seconds(1))) { self.phase = phase }
            }
            model.setVisible(true)
            guard let request else { return model.reset() }
            model.show(request, completion: completion)
        }
    }
#endif
