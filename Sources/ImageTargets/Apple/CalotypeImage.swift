#if canImport(SwiftUI) && canImport(CoreGraphics)
    public import ImageCore
    public import SwiftUI

    extension EnvironmentValues {
        /// Where the views below get their images; without one they show their placeholder.
        public var imageLoader: (any ImageProviding)? {
            get { self[ImageLoaderKey.self] }
            set { self[ImageLoaderKey.self] = newValue }
        }
    }

    private struct ImageLoaderKey: EnvironmentKey {
        static let defaultValue: (any ImageProviding)? = nil
    }

    /// A picture in SwiftUI, and what stands in while it loads.
    public struct CalotypeImage<Placeholder: View>: View {
        private let request: ImageRequest
        private let placeholder: Placeholder
        private var completion: (@MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void)?

        public init(url: URL, @ViewBuilder placeholder: () -> Placeholder) {
            self.init(ImageRequest(url: url), placeholder: placeholder)
        }

        public init(_ request: ImageRequest, @ViewBuilder placeholder: () -> Placeholder) {
            self.request = request
            self.placeholder = placeholder()
        }

        /// Called on the main actor once with the result of each request, unless it was replaced.
        public func onCompletion(_ body: @escaping @MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void) -> Self {
            var copy = self
            copy.completion = body
            return copy
        }

        public var body: some View {
            CalotypePhaseView(request, completion: completion) { phase in
                if case .success(let image) = phase, let picture = image.bitmap.makeCGImage() {
                    Image(decorative: picture, scale: 1).resizable()
                } else {
                    placeholder
                }
            }
        }
    }

    /// A picture in SwiftUI as what the caller makes of its phases.
    public struct CalotypePhaseView<Content: View>: View {
        private let request: ImageRequest
        private let completion: (@MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void)?
        private let content: (ImagePhase) -> Content
        @Environment(\.imageLoader) private var loader
        @Environment(\.accessibilityReduceMotion) private var isMotionReduced
        @State private var phase = ImagePhase.empty
        @State private var model: ImagePhaseModel?

        public init(
            _ request: ImageRequest, completion: (@MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void)? = nil,
            @ViewBuilder content: @escaping (ImagePhase) -> Content
        ) {
            self.request = request
            self.completion = completion
            self.content = content
        }

        public var body: some View {
            // Without a label of the request's, the content's own counts.
            if let label = request.options.accessibilityLabel ?? nil {
                watched.accessibilityLabel(Text(label))
            } else {
                watched
            }
        }

        private var watched: some View {
            content(phase)
                .onAppear { appear() }
                .onDisappear { model?.setVisible(false) }
                .onChange(of: identity) { _ in appear() }
        }

        /// What makes another image of it: another size too, or other processors.
        private var identity: BindingState.Identity {
            BindingState.identity(request, (try? loader?.options(for: request)) ?? LoadOptions())
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
            model.show(request, completion: completion)
        }
    }
#endif
