#if GTK
    internal import CCalotypeLibGTK
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
        public let contentMode: ImageContentMode

        /// Whether ``ImageContentMode/fit`` also enlarges an image that is smaller than the view; `false` by default.
        public var enlargesImages = false { didSet { updateFit() } }

        /// Called by a button under the sentence that says why the load failed. Without it, there is no button.
        ///
        /// The button and the sentence are shown where the view is large enough. `nil` by default.
        public var onRetry: (@MainActor () -> Void)? { didSet { if failure != nil { showFailure(failure) } } }

        /// Called when the last frame of the animation has been shown for its time; `nil` by default. The target starts
        /// and stops the animation: `startAnimation()`, `stopAnimation()`.
        public var onAnimationLoop: (@MainActor (AnimationPlaybackState) -> Void)?

        /// The target that this view or its list made. The view tells it about the desktop's setting for animations
        /// and, outside a list, about its layout.
        var target: ImageTarget<GTKImageView>?
        private var settingsHandler: GTKSignalHandler?
        private(set) var failure: ImageError?
        var layout: GTKViewLayout
        /// Waits for the first layout.
        var layoutHandler: GTKSignalHandler?
        /// The overlay as GTK's functions take it, and the `GtkPicture` in it.
        let (overlay, image): (UnsafeMutablePointer<GtkWidget>, UnsafeMutablePointer<GtkWidget>)
        let paintable = GTKPaintable()
        let signs: GTKViewSigns

        /// Makes a blank image view.
        ///
        /// - Parameter contentMode: ``ImageContentMode/fit`` shows the whole image in the middle of the view; see
        ///   ``enlargesImages``. Other modes cover the view with the image. ``ImageContentMode/fill`` by default.
        public convenience init(contentMode: ImageContentMode = .fill) {
            self.init(contentMode, .unknown)
            updateFit()
            watchLayout()
        }

        /// Makes the view of a list's cell. The list reports whether the cell is on screen.
        ///
        /// - Parameter size: the size of the view, in the application's pixels.
        convenience init(cellSize size: PixelSize) {
            self.init(.fill, .fixed(size))
            unsafe gtk_widget_set_size_request(overlay, Int32(clamping: size.width), Int32(clamping: size.height))
            // In a larger cell, the view keeps its size, so that an image of this size is not scaled.
            unsafe gtk_widget_set_halign(overlay, GTK_ALIGN_CENTER)
            unsafe gtk_widget_set_valign(overlay, GTK_ALIGN_CENTER)
            paintable.isFixed = true
        }

        private init(_ contentMode: ImageContentMode, _ layout: GTKViewLayout) {
            (self.contentMode, self.layout) = (contentMode, layout)
            unsafe overlay = gtk_overlay_new()
            unsafe widget = g_object_ref_sink(overlay)
            unsafe image = gtk_picture_new()
            unsafe gtk_picture_set_can_shrink(gtkCast(image), 1)
            // The paintable scales its texture by itself.
            unsafe gtk_picture_set_content_fit(gtkCast(image), GTK_CONTENT_FIT_FILL)
            unsafe gtk_picture_set_paintable(gtkCast(image), paintable.object)
            unsafe gtk_overlay_set_child(gtkCast(overlay), image)
            signs = unsafe GTKViewSigns(over: image, in: overlay)
            watchSettings()
        }

        isolated deinit {
            settingsHandler?.disconnect()
            unsafe g_object_unref(gtkCast(paintable.object))
            unsafe g_object_unref(widget)
        }

        private func watchSettings() {
            let settings = unsafe gtk_widget_get_settings(overlay)
            settingsHandler = unsafe GTKSignals.connect(settings, "notify::gtk-enable-animations") { [weak self] in
                self?.target?.motionPreferenceChanged()
            }
        }

        /// Makes the target of this view, which tells it whether the view is on screen and how large it is.
        ///
        /// The view keeps the target. A target from another call or initializer does not learn this by itself: it loads
        /// images in full size, and its load is not affected when the view leaves the screen.
        ///
        /// If the container of the view gives it a size while it shows nothing, this is the size of its images, and the
        /// view no longer asks for the size of its image. Otherwise the image is loaded in full size, and the view asks
        /// for its size.
        ///
        /// - Parameters:
        ///   - loader: loads the images.
        ///   - owner: the owner of the requests that name none; `nil` by default.
        @discardableResult
        public func makeTarget(loader: any ImageProviding, owner: LoadOwner? = nil) -> ImageTarget<GTKImageView> {
            let target = ImageTarget(self, loader: loader, owner: owner)
            self.target = target
            if case .unknown = layout { paintable.isFixed = true }
            // A view that was laid out without a target gets no further signal of its layout.
            if isMapped { mapped() } else { target.setVisible(false) }
            return target
        }

        public func setImage(_ image: DecodedImage, transition: ImageTransition) {
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

        public func animationLoopEnded(_ state: AnimationPlaybackState) { onAnimationLoop?(state) }
        public func setLoading(_ isLoading: Bool) { signs.isLoading = isLoading }
        public func setProgress(_ progress: LoadProgress) { signs.progress = progress.fraction }
        public func setFailure(_ error: ImageError) { showFailure(error) }
        public func setAccessibilityLabel(_ label: String?) { signs.label = label }

        /// Shows the tier as a letter in the upper left corner.
        @discardableResult
        public func setTierBadge(_ tier: CacheTier?) -> Bool {
            signs.showBadge(tier)
            return true
        }

        /// The desktop's setting `gtk-enable-animations`. A target that this view or its list made notices when it
        /// changes.
        public func prefersReducedMotion() -> Bool {
            var value = GValue()
            unsafe g_value_init(&value, clt_type_boolean)
            unsafe g_object_get_property(gtkCast(gtk_widget_get_settings(overlay)), "gtk-enable-animations", &value)
            return unsafe g_value_get_boolean(&value) == 0
        }

        /// The size of the view in device pixels, as its container gave it.
        public func imageSize() -> ViewImageSize {
            switch layout {
            case .fixed(let size): return .box(devicePixels(size), contentMode)
            case .unknown: return target == nil ? .unlimited : .pending
            case .measuresImage: return .unlimited
            case .container: return .box(devicePixels(size), contentMode)
            }
        }

        private func show(_ texture: GTKTexture?, transition: ImageTransition = .none) {
            var duration = Duration.zero
            if case .fade(let time) = transition { duration = time }
            unsafe paintable.show(texture, fadingFor: duration, in: image)
        }

        private func updateFit() {
            guard case .fit = contentMode else { return paintable.fit = .covers }
            paintable.fit = enlargesImages ? .contains : .scalesDown
        }

        func showFailure(_ error: ImageError?) {
            guard error != nil || failure != nil else { return }
            failure = error
            let retry: @MainActor () -> Void = { [weak self] in self?.onRetry?() }
            signs.showFailure(error?.message, onRetry: onRetry == nil ? nil : retry)
        }
    }
#endif
