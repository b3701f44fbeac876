#if GTK
    internal import CCalotypeLibGTK
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
        public var isMapped: Bool { unsafe gtk_widget_get_mapped(overlay) != 0 }

        /// The size of the view in its last layout, in the application's pixels.
        public var size: PixelSize {
            unsafe PixelSize(width: Int(gtk_widget_get_width(overlay)), height: Int(gtk_widget_get_height(overlay)))
        }

        /// Reports to the target whether the view is on screen, and how large it is.
        func watchLayout() {
            unsafe GTKSignals.connect(widget, "map", runsAfter: true) { [weak self] in self?.mapped() }
            unsafe GTKSignals.connect(widget, "unmap") { [weak self] in self?.target?.setVisible(false) }
            unsafe GTKSignals.connect(widget, "notify::scale-factor") { [weak self] in self?.resizeSoon() }
            // A widget that emits `resize` when the view has another size.
            let sizer = unsafe gtk_drawing_area_new()
            unsafe gtk_widget_set_can_target(sizer, 0)
            unsafe gtk_overlay_add_overlay(gtkCast(overlay), sizer)
            unsafe GTKSignals.connect(sizer, "resize") { [weak self] in self?.resizeSoon() }
        }

        /// Tells the target that the view is on screen, and learns in the next frame what gives the view its size.
        func mapped() {
            target?.setVisible(true)
            guard case .unknown = layout, layoutHandler == nil else { return }
            // A view without a size gets no signal of its layout, which precedes the painting of the next frame.
            let clock = unsafe gtk_widget_get_frame_clock(overlay)
            unsafe gtk_widget_queue_draw(overlay)
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
                layout = hasSize ? .container : .measuresImage
                paintable.isFixed = hasSize
            }
            // A sentence may fit now.
            if failure != nil { showFailure(failure) }
            target?.viewSizeChanged()
        }

        /// Whether the container, or a size request, gives the view a size. Only for a view that does not ask for the
        /// size of its image.
        private var hasSize: Bool {
            // A GtkPicture asks for some pixels even if it shows nothing.
            func natural(_ orientation: GtkOrientation) -> Int {
                var natural: Int32 = 0
                unsafe gtk_widget_measure(image, orientation, -1, nil, &natural, nil, nil)
                return Int(natural)
            }
            var (width, height): (Int32, Int32) = (0, 0)
            unsafe gtk_widget_get_size_request(overlay, &width, &height)
            let hasWidth = size.width > natural(GTK_ORIENTATION_HORIZONTAL) || width > 0
            let hasHeight = size.height > natural(GTK_ORIENTATION_VERTICAL) || height > 0
            return size.width > 0 && size.height > 0 && hasWidth && hasHeight
        }
    }
#endif
