#if GTK
    internal import CCalotypeGTK
    public import ImageCore
    internal import ImageKernels
    public import ImageTargets

    /// An image view for GTK 4 windows: a `GtkPicture` under a spinner, a progress bar, a badge and a sign of failure.
    ///
    /// ```swift
    /// @MainActor func show(_ url: URL, with loader: any ImageProviding) -> GTKImageView {
    ///     let view = GTKImageView()
    ///     // Put `view.widget` into the window, and keep the view as long as the window.
    ///     view.makeTarget(loader: loader).setImage(url)
    ///     return view
    /// }
    /// ```
    @safe public final class GTKImageView: MainActorImageView {
        /// The `GtkOverlay` to put into a window. It is valid as long as this view or its parent widget exists.
        public let widget: UnsafeMutableRawPointer

        /// How the image is scaled to the view.
        public let contentMode: ContentMode

        /// Whether ``ContentMode/fit`` also enlarges an image that is smaller than the view; `false` by default.
        public var enlargesImages = false { didSet { updateFit() } }

        /// Called by a button under the sentence that says why the load failed. Without it, there is no button.
        ///
        /// The button and the sentence are shown where the view is large enough. `nil` by default.
        public var onRetry: (@MainActor () -> Void)? { didSet { if failure != nil { showFailure(failure) } } }

        /// The target that this view or its list made. The view tells it about the desktop's setting for animations and, outside a
        /// list, about its layout.
        var target: ImageTarget<GTKImageView>?
        private var settingsHandler: GTKSignalHandler?
        private(set) var failure: ImageError?
        var layout: GTKViewLayout
        /// Waits for the first layout.
        var layoutHandler: GTKSignalHandler?

        /// Makes a blank image view.
        ///
        /// - Parameters:
        ///   - imageWidget: the `GtkPicture` that shows the image. It must not have a parent. By default, the view makes one.
        ///   - contentMode: ``ContentMode/fit`` shows the whole image in the middle of the view; see ``enlargesImages``. Other modes
        ///     cover the view with the image. ``ContentMode/fill`` by default.
        public init(imageWidget: UnsafeMutableRawPointer? = nil, contentMode: ContentMode = .fill) {
            unsafe widget = calotype_gtk_view_new(imageWidget)
            (self.contentMode, layout) = (contentMode, .unknown)
            unsafe calotype_gtk_ref(widget)
            updateFit()
            watchLayout()
            watchSettings()
        }

        /// Makes the view of a list's cell. The list reports whether the cell is on screen.
        ///
        /// - Parameter size: the size of the view, in the application's pixels.
        init(cellSize size: PixelSize) {
            unsafe widget = calotype_gtk_view_new(nil)
            (contentMode, layout) = (.fill, .fixed(size))
            unsafe calotype_gtk_ref(widget)
            unsafe calotype_gtk_view_set_size(widget, Int32(clamping: size.width), Int32(clamping: size.height))
            watchSettings()
        }

        isolated deinit {
            settingsHandler?.disconnect()
            unsafe calotype_gtk_unref(widget)
        }

        private func watchSettings() {
            let settings = unsafe calotype_gtk_settings(widget)
            settingsHandler = unsafe GTKSignals.connect(settings, "notify::gtk-enable-animations") { [weak self] in
                self?.target?.motionPreferenceChanged()
            }
        }

        /// Makes the target of this view, which tells it whether the view is on screen and how large it is.
        ///
        /// The view keeps the target. A target from another call or initializer does not learn this by itself: it loads images in
        /// full size, and its load is not affected when the view leaves the screen.
        ///
        /// If the container of the view gives it a size while it shows nothing, this is the size of its images, and the view no longer
        /// asks for the size of its image. Otherwise the image is loaded in full size, and the view asks for its size.
        ///
        /// - Parameters:
        ///   - loader: loads the images.
        ///   - owner: the owner of the requests that name none; `nil` by default.
        @discardableResult
        public func makeTarget(loader: any ImageProviding, owner: LoadOwner? = nil) -> ImageTarget<GTKImageView> {
            let target = ImageTarget(self, loader: loader, owner: owner)
            self.target = target
            if case .unknown = layout { unsafe calotype_gtk_view_set_measures(widget, false) }
            target.setVisible(isMapped)
            return target
        }

        public func setImage(_ image: DecodedImage, transition: Transition) {
            showFailure(nil)
            show(GTKTexture(image.bitmap), transition: transition)
        }

        public func clear() {
            showFailure(nil)
            setTierBadge(nil)
            show(nil)
        }

        public func setPlaceholder(_ placeholder: Placeholder) {
            showFailure(nil)
            setTierBadge(nil)
            switch placeholder {
            case .none, .hash: show(nil)
            case .image(let image): show(GTKTexture(image.bitmap))
            case .color(let red, let green, let blue, let alpha):
                let color = PixelColor(red: red, green: green, blue: blue, alpha: alpha)
                show((try? Bitmap.filled(PixelSize(1), with: color)).flatMap { GTKTexture($0) })
            }
        }

        public func setLoading(_ isLoading: Bool) { unsafe calotype_gtk_view_set_loading(widget, isLoading) }
        public func setProgress(_ progress: LoadProgress) {
            unsafe calotype_gtk_view_set_progress(widget, progress.fraction ?? -1)
        }
        public func setFailure(_ error: ImageError) { showFailure(error) }
        public func setAccessibilityLabel(_ label: String?) { unsafe calotype_gtk_view_set_label(widget, label) }

        /// Shows the tier as a letter in the upper left corner.
        @discardableResult
        public func setTierBadge(_ tier: CacheTier?) -> Bool {
            let letter = tier?.rawValue.prefix(1).uppercased()
            unsafe calotype_gtk_view_set_badge(widget, letter, tier?.rawValue)
            return true
        }

        /// The desktop's setting `gtk-enable-animations`. A target that this view or its list made notices when it changes.
        public func prefersReducedMotion() -> Bool { unsafe !calotype_gtk_animates(widget) }

        /// The size of the view in device pixels, as its container gave it.
        public func imageSize() -> ViewImageSize {
            switch layout {
            case .fixed(let size): return .box(devicePixels(size), contentMode)
            case .unknown: return target == nil ? .unlimited : .pending
            case .measuresImage: return .unlimited
            case .container: return .box(devicePixels(size), contentMode)
            }
        }

        private func show(_ texture: GTKTexture?, transition: Transition = .none) {
            var milliseconds: UInt32 = 0
            if case .fade(let time) = transition { milliseconds = UInt32(clamping: Int64(time / .milliseconds(1))) }
            unsafe calotype_gtk_view_set_texture(widget, texture?.pointer, milliseconds)
        }

        private func updateFit() {
            let fit =
                switch contentMode {
                case .fit: enlargesImages ? CALOTYPE_GTK_CONTAIN : CALOTYPE_GTK_SCALE_DOWN
                default: CALOTYPE_GTK_COVER
                }
            unsafe calotype_gtk_view_set_fit(widget, Int32(fit))
        }

        func showFailure(_ error: ImageError?) {
            guard error != nil || failure != nil else { return }
            failure = error
            let label = onRetry == nil ? nil : "_Try Again"
            guard let button = unsafe calotype_gtk_view_set_failure(widget, error?.message, label) else { return }
            unsafe GTKSignals.connect(button, "clicked") { [weak self] in self?.onRetry?() }
        }
    }
#endif
