#if GTK
    internal import CCalotypeGTK
    public import ImageCore

    /// An image view for GTK 4 windows: a `GtkPicture` under a spinner, a progress bar and a failure icon.
    ///
    /// ```swift
    /// @MainActor func show(_ url: URL, in box: UnsafeMutableRawPointer, with loader: any ImageProviding) -> ImageTarget<GTKImageView> {
    ///     let view = GTKImageView()
    ///     // Put `view.widget` into the window, and keep the target as long as the window.
    ///     let target = ImageTarget(view, loader: loader)
    ///     target.setImage(url)
    ///     return target
    /// }
    /// ```
    @safe public final class GTKImageView: MainActorImageView {
        /// The `GtkOverlay` to put into a window. It is valid as long as this view or its parent widget exists.
        public let widget: UnsafeMutableRawPointer

        /// Makes a blank image view.
        ///
        /// - Parameters:
        ///   - imageWidget: the `GtkPicture` that shows the image. It must not have a parent. By default, the view makes one.
        ///   - contentMode: ``ContentMode/fit`` shows the whole image in the middle of the view and never enlarges it. Other modes
        ///     cover the view with the image. ``ContentMode/fill`` by default.
        public init(imageWidget: UnsafeMutableRawPointer? = nil, contentMode: ContentMode = .fill) {
            unsafe widget = calotype_gtk_view_new(imageWidget, contentMode == .fit)
            unsafe calotype_gtk_ref(widget)
        }

        isolated deinit { unsafe calotype_gtk_unref(widget) }

        public func setImage(_ image: DecodedImage, transition: Transition) {
            unsafe calotype_gtk_view_set_failure(widget, nil)
            show(GTKTexture(image.bitmap), transition: transition)
        }

        public func clear() {
            unsafe calotype_gtk_view_set_failure(widget, nil)
            show(nil)
        }

        public func setPlaceholder(_ placeholder: Placeholder) {
            unsafe calotype_gtk_view_set_failure(widget, nil)
            switch placeholder {
            case .none, .hash: show(nil)
            case .image(let image): show(GTKTexture(image.bitmap))
            case .color(let red, let green, let blue, let alpha):
                show(GTKTexture(red: red, green: green, blue: blue, alpha: alpha))
            }
        }

        public func setLoading(_ isLoading: Bool) { unsafe calotype_gtk_view_set_loading(widget, isLoading) }
        public func setProgress(_ progress: LoadProgress) {
            unsafe calotype_gtk_view_set_progress(widget, progress.fraction ?? -1)
        }
        public func setFailure(_ error: ImageError) { unsafe calotype_gtk_view_set_failure(widget, error.message) }
        public func setAccessibilityLabel(_ label: String?) { unsafe calotype_gtk_view_set_label(widget, label) }

        /// The desktop's setting `gtk-enable-animations`.
        public func prefersReducedMotion() -> Bool { unsafe !calotype_gtk_animates(widget) }

        private func show(_ texture: GTKTexture?, transition: Transition = .none) {
            var milliseconds: UInt32 = 0
            if case .fade(let time) = transition { milliseconds = UInt32(clamping: Int64(time / .milliseconds(1))) }
            unsafe calotype_gtk_view_set_texture(widget, texture?.pointer, milliseconds)
        }
    }
#endif
