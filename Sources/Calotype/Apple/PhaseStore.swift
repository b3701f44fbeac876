#if canImport(SwiftUI) && canImport(CoreGraphics)
    internal import Combine
    internal import ImageCore
    internal import ImageTargets
    internal import SwiftUI

    /// Loads the image of one SwiftUI view, and tells the view's content about the phases.
    ///
    /// The view keeps the store as long as it is in the hierarchy. Nothing that the store retains refers to the view,
    /// so that the load is cancelled when SwiftUI drops the view's state.
    @MainActor final class PhaseStore: ObservableObject {
        /// The phase to show.
        @Published private(set) var phase = ImagePhase.empty
        /// Loads the image; `nil` before the first request.
        private(set) var model: ImagePhaseModel?
        private var loader: (any ImageProviding)?
        /// The size that the view has for its image.
        var viewSize = ViewImageSize.unlimited { didSet { model?.viewSize = viewSize } }

        /// Called when a loop of the animation has ended.
        var onAnimationLoop: (@MainActor (AnimationPlaybackState) -> Void)?

        /// Whether SwiftUI shows the view.
        var isOnScreen = false { didSet { updateVisibility() } }
        /// Whether the view's scene is in the background.
        var isInBackground = false { didSet { updateVisibility() } }
        /// Whether the user prefers reduced motion.
        var isMotionReduced = false { didSet { model?.isMotionReduced = isMotionReduced } }

        /// Shows a request, now or when its image is loaded. A request that is shown already changes nothing.
        ///
        /// - Parameters:
        ///   - request: the image to show; `nil` shows ``ImagePhase/empty``.
        ///   - loader: loads the image.
        ///   - observesProgress: whether the content depends on the progress.
        ///   - completion: called once with the result.
        func show(
            _ request: ImageRequest?, from loader: any ImageProviding, observesProgress: Bool,
            completion: ImageTarget<ImagePhaseModel>.MainActorCompletion?
        ) {
            let model = model(for: loader)
            model.onChange = { [weak self] in self?.publish($0, observesProgress: observesProgress) }
            model.onAnimationLoop = { [weak self] in self?.onAnimationLoop?($0) }
            guard let request else { return model.reset() }
            model.show(request, completion: completion)
        }

        private func updateVisibility() { model?.setVisible(isOnScreen && !isInBackground) }

        private func model(for loader: any ImageProviding) -> ImagePhaseModel {
            if let model, let current = self.loader, isSame(current, loader) { return model }
            // The load of the old model is cancelled when it is released.
            model?.onChange = nil
            let model = ImagePhaseModel(loader: loader)
            (model.viewSize, model.isMotionReduced) = (viewSize, isMotionReduced)
            (self.model, self.loader) = (model, loader)
            updateVisibility()
            return model
        }

        private func publish(_ phase: ImagePhase, observesProgress: Bool) {
            if !observesProgress, case .loading(.some) = phase, case .loading = self.phase { return }
            if case .success = phase, case .fade(let time)? = model?.transition {
                withAnimation(.easeInOut(duration: time / .seconds(1))) { self.phase = phase }
            } else {
                self.phase = phase
            }
        }
    }
#endif
