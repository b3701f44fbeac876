#if GTK
    internal import CCalotypeGTK
    public import ImageCore
    internal import ImageTargets

    /// What is known about the size of a view.
    enum GTKViewLayout {
        /// It has not been laid out.
        case unknown
        /// Its container gives it a size.
        case container
        /// It has the size of its image, since its container gave it none while it showed nothing.
        case measuresImage
        /// It is the cell of a list, and has this size in the application's pixels.
        case fixed(PixelSize)
    }

    extension GTKImageView {
        /// Whether the view and all of its parents are shown in a window that is open.
        public var isMapped: Bool { unsafe calotype_gtk_is_mapped(widget) }

        /// The size of the view in its last layout, in the application's pixels.
        public var size: PixelSize {
            var (width, height): (Int32, Int32) = (0, 0)
            unsafe calotype_gtk_size(widget, &width, &height)
            return PixelSize(width: Int(width), height: Int(height))
        }

        /// Reports to the target whether the view is on screen, and how large it is.
        func watchLayout() {
            unsafe GTKSignals.connect(widget, "map", runsAfter: true) { [weak self] in self?.mapped() }
            unsafe GTKSignals.connect(widget, "unmap") { [weak self] in self?.target?.setVisible(false) }
            unsafe GTKSignals.connect(widget, "notify::scale-factor") { [weak self] in self?.resizeSoon() }
            unsafe GTKSignals.connect(calotype_gtk_view_add_sizer(widget), "resize") { [weak self] in self?.resizeSoon() }
        }

        private func mapped() {
            target?.setVisible(true)
            guard case .unknown = layout, layoutHandler == nil else { return }
            // A view without a size gets no signal of its layout, which precedes the painting of the next frame.
            let clock = unsafe calotype_gtk_frame_clock(widget)
            layoutHandler = unsafe GTKSignals.connect(clock, "after-paint") { [weak self] in
                self?.layoutHandler?.disconnect()
                self?.layoutHandler = nil
                self?.resize(isLaidOut: true)
            }
        }

        /// Waits until the layout has ended, since a new image may change the size of widgets.
        private func resizeSoon() { Task { [weak self] in self?.resize(isLaidOut: false) } }

        private func resize(isLaidOut: Bool) {
            if case .unknown = layout, target != nil, isLaidOut || size.width > 0 {
                let hasSize = unsafe calotype_gtk_view_has_size(widget)
                layout = hasSize ? .container : .measuresImage
                unsafe calotype_gtk_view_set_measures(widget, !hasSize)
            }
            // A sentence may fit now.
            if failure != nil { showFailure(failure) }
            target?.viewSizeChanged()
        }
    }
#endif
