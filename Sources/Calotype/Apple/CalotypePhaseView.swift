#if canImport(SwiftUI) && canImport(CoreGraphics)
    internal import CoreGraphics
    public import ImageCore
    internal import ImageLoading
    public import ImageTargets
    public import SwiftUI

    extension EnvironmentValues {
        /// Loads the images of the views in this environment: ``ImageLoader/shared`` unless another loader is set.
        public var imageLoader: any ImageProviding {
            get { self[ImageLoaderKey.self] ?? ImageLoader.shared }
            set { self[ImageLoaderKey.self] = newValue }
        }
    }

    private struct ImageLoaderKey: EnvironmentKey {
        static let defaultValue: (any ImageProviding)? = nil
    }

    /// A SwiftUI view that the caller makes from the phase of a load.
    ///
    /// The images come from ``ImageLoader/shared``, or from the `imageLoader` of the environment. The content is
    /// evaluated for each phase, and each progress of a load is a phase. If the request has an accessibility label, the
    /// content is one image for screen readers.
    ///
    /// The view takes the size that it is offered, and the request gets that size in pixels: give it a frame. If the
    /// request sets a target size, or switches ``LoadOptions/sizesToTarget`` off, the content decides about the size of
    /// the view instead.
    public struct CalotypePhaseView<Content: View>: View {
        private let request: ImageRequest?
        private let mode: ImageContentMode?
        private let completion: (@MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void)?
        private let content: (ImagePhase) -> Content

        /// Makes a view of the phases of a request.
        ///
        /// - Parameters:
        ///   - request: the image to load. Its ``LoadOptions/contentMode`` says how the content scales the image to the
        ///     size that it is offered; `.fit` by default.
        ///   - completion: called on the main actor once with the result; not called if the request is replaced. `nil`
        ///     by default.
        ///   - content: makes the view of a phase.
        public init(
            _ request: ImageRequest, completion: (@MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void)? = nil,
            @ViewBuilder content: @escaping (ImagePhase) -> Content
        ) {
            let options = request.options
            mode = options.targetSize == nil && options.sizesToTarget != false ? options.contentMode ?? .fit : nil
            (self.request, self.completion, self.content) = (request, completion, content)
        }

        /// Makes a view of the phases of the image at a URL.
        ///
        /// - Parameters:
        ///   - url: the URL of the image; for `nil` the phase is ``ImagePhase/empty``.
        ///   - size: the box in pixels that the image is scaled down to; `nil`, the default, for the size that the view
        ///     is offered.
        ///   - processors: the processors to run on the image, in order; an empty list, the default, leaves them to the
        ///     loader's options.
        ///   - completion: called on the main actor once with the result; not called if the request is replaced. `nil`
        ///     by default.
        ///   - content: makes the view of a phase.
        public init(
            url: URL?, size: PixelSize? = nil, processors: [any Processing] = [],
            completion: (@MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void)? = nil,
            @ViewBuilder content: @escaping (ImagePhase) -> Content
        ) {
            request = url.map { ImageRequest(url: $0, size: size, processors: processors) }
            mode = size == nil ? .fit : nil
            (self.completion, self.content) = (completion, content)
        }

        public var body: some View {
            PhaseContainer(request: request, mode: mode, observesProgress: true, completion: completion) { store in
                content(store.phase)
            }
        }
    }

    /// Loads the image of a request while its content is on screen.
    struct PhaseContainer<Content: View>: View {
        let request: ImageRequest?
        /// How the content scales the image to the size that it is offered; `nil` if that size is not known.
        let mode: ImageContentMode?
        let observesProgress: Bool
        let completion: (@MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void)?
        var onAnimationLoop: (@MainActor (AnimationPlaybackState) -> Void)?
        @ViewBuilder let content: (PhaseStore) -> Content
        @Environment(\.imageLoader) private var loader
        @Environment(\.accessibilityReduceMotion) private var isMotionReduced
        @Environment(\.scenePhase) private var scenePhase
        @Environment(\.displayScale) private var scale
        // Not observed here, so that this body, which merges the options of the request, does not run for each phase.
        @State private var store = PhaseStore()

        var body: some View {
            // The stack stays while the content changes, or has no view at all. `onAppear` of the content itself would
            // be called for each of its branches, and not at all without one.
            ZStack {
                if let mode { sizeReader(mode) }
                PhaseContent(store: store, label: request?.options.accessibilityLabel, content: content)
            }
            .onAppear {
                store.isOnScreen = true
                store.isMotionReduced = isMotionReduced
                load()
            }
            .onDisappear { store.isOnScreen = false }
            .onUpdate(of: Inputs(request, loader)) { load() }
            .onUpdate(of: isMotionReduced) { store.isMotionReduced = isMotionReduced }
            // Not its first value: outside of an app of SwiftUI, that is the background, and does not change.
            .onUpdate(of: scenePhase) { store.isInBackground = scenePhase == .background }
        }

        /// Takes the size that the view is offered, and makes it the size of the request.
        private func sizeReader(_ mode: ImageContentMode) -> some View {
            GeometryReader { proxy in
                let size = viewSize(proxy.size, mode)
                Color.clear
                    .onAppear { store.viewSize = size }
                    .onUpdate(of: size) { store.viewSize = size }
            }
        }

        private func viewSize(_ size: CGSize, _ mode: ImageContentMode) -> ViewImageSize {
            guard size.width > 0, size.height > 0 else { return .pending }
            return .box(size.pixels(scale), mode)
        }

        private func load() {
            store.onAnimationLoop = onAnimationLoop
            // The size reader may appear later.
            if mode != nil, store.viewSize == .unlimited { store.viewSize = .pending }
            store.show(request, from: loader, observesProgress: observesProgress, completion: completion)
        }
    }

    /// What a load depends on.
    private struct Inputs: Equatable {
        private let identity: RequestIdentity?
        private let loader: any ImageProviding

        init(_ request: ImageRequest?, _ loader: any ImageProviding) {
            (identity, self.loader) = (request.map { RequestIdentity($0, loader) }, loader)
        }

        static func == (one: Inputs, other: Inputs) -> Bool {
            one.identity == other.identity && isSame(one.loader, other.loader)
        }
    }

    /// The view of a phase, which is evaluated for each one.
    private struct PhaseContent<Content: View>: View {
        @ObservedObject var store: PhaseStore
        /// The label of the request. Without one, the label of the content is kept.
        let label: String?
        let content: (PhaseStore) -> Content

        var body: some View {
            if let label {
                content(store)
                    .accessibilityElement(children: .ignore)
                    .accessibilityLabel(Text(label))
                    .accessibilityAddTraits(.isImage)
            } else {
                content(store)
            }
        }
    }

    extension View {
        /// Calls a closure after a value changed.
        @ViewBuilder fileprivate func onUpdate<V: Equatable>(of value: V, perform action: @escaping () -> Void) -> some View {
            if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) {
                onChange(of: value) { action() }
            } else {
                // Deprecated there from the first version.
                #if !os(visionOS)
                    onChange(of: value) { _ in action() }
                #endif
            }
        }
    }
#endif
