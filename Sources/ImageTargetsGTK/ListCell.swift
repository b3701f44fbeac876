#if GTK
    internal import CCalotypeGTK
    internal import ImageCore
    internal import ImageTargets

    /// A view of a list, its binding, and what it is bound to. It is the binding's view, and keeps from the real one what comes
    /// for an earlier position, so that a cell can be bound anew long before there is time to end its load.
    @safe @MainActor final class ListCell: MainActorImageView {
        let view: GTKImageView
        /// What the list has as its cell: the view, or a row that holds it. It is GTK's to keep.
        var widget: UnsafeMutableRawPointer
        var state = ListCellState()
        /// Whether the list has it among those that wait.
        var isWaiting = false
        /// Whether it is a grey area until there is time for more.
        private(set) var isGrey = false
        /// Whether the view does not show what the binding believes, so that the same request must not be taken for shown.
        private var differs = false
        private(set) lazy var target = ImageTarget(self, loader: loader)
        private let loader: any ImageProviding

        init(loader: any ImageProviding) {
            self.loader = loader
            view = unsafe GTKImageView()
            unsafe widget = view.widget
        }

        /// Whether its picture has not come yet.
        var isLoading: Bool { state.content != .complete || state.isLoading }

        /// Shows what stands in for the request's picture, or the picture where it is in memory.
        func show(_ request: ImageRequest) {
            if differs { clearTarget() }
            state.didShow()
            target.prepareImage(request)
        }

        func showGrey() {
            (isGrey, differs) = (true, true)
            view.showGrey()
        }

        func load() {
            guard state.content == .placeholder else { return }
            target.startLoad()
            state.didLoad()
        }

        func tell(isVisible: Bool) {
            guard state.isVisible != isVisible else { return }
            state.didTell(isVisible)
            target.setVisible(isVisible)
        }

        func clearTarget() {
            target.clear()
            state.didClear()
            (isGrey, differs) = (false, false)
        }

        /// What it shows is asked for again when it is bound again, though it be the same.
        func forget() { differs = true }

        /// Whether what comes is for what the cell is bound to.
        private func accepts() -> Bool {
            guard state.content == .placeholder || state.content == .complete else {
                differs = true
                return false
            }
            isGrey = false
            return true
        }

        // MARK: What the binding tells

        func setImage(_ image: DecodedImage, transition: Transition) {
            if accepts() { view.setImage(image, transition: transition) }
        }

        func setPlaceholder(_ placeholder: Placeholder) { if accepts() { view.setPlaceholder(placeholder) } }
        func setProgress(_ progress: LoadProgress) { if accepts() { view.setProgress(progress) } }
        func setFailure(_ error: ImageError) { if accepts() { view.setFailure(error) } }
        func setAccessibilityLabel(_ label: String?) { if accepts() { view.setAccessibilityLabel(label) } }
        func prefersReducedMotion() -> Bool { view.prefersReducedMotion() }

        // These never show another's picture.
        func clear() { view.clear() }
        func setLoading(_ isLoading: Bool) {
            state.isLoading = isLoading
            view.setLoading(isLoading)
        }
    }

    extension ListCell: Hashable {
        nonisolated static func == (a: ListCell, b: ListCell) -> Bool { a === b }
        nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
#endif
