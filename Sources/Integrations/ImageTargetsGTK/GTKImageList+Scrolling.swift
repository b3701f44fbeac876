#if GTK
    internal import CCalotypeLibGTK
    internal import CalotypeSystem

    // All scrolling waits for the next frame: GtkGridView (4.8) loses its place, or ends the program with a failed
    // assertion, when it is scrolled twice without a layout in between.
    extension GTKImageList {
        /// Where to scroll in the next frame.
        struct Scrolling {
            /// The steps of the mouse wheel.
            var wheelSteps = 0.0
            var offset: Double?
            /// The position to scroll on screen.
            var position: Int?
            /// The upper edge that the cell of the position shall have; `nil` to scroll as little as possible.
            var top: Double?
            /// Whether GTK has been asked to scroll to the position.
            var hasAskedGTK = false
        }

        /// The scroll offset, in the application's pixels, at most ``maximumOffset``. Setting it scrolls in the next
        /// frame, to the last value that was set.
        public var offset: Double {
            get { unsafe scrolling.offset.map { min(max(0, $0), maximumOffset) } ?? gtk_adjustment_get_value(adjustment) }
            set {
                scrolling = Scrolling(offset: newValue.isNaN ? nil : newValue)
                scrollSoon()
            }
        }

        /// The largest scroll offset, in the application's pixels.
        public var maximumOffset: Double { unsafe max(0, gtk_adjustment_get_upper(adjustment) - page) }

        private var adjustment: UnsafeMutablePointer<GtkAdjustment> {
            unsafe gtk_scrolled_window_get_vadjustment(gtkCast(window))
        }
        private var page: Double { unsafe gtk_adjustment_get_page_size(adjustment) }

        private func scrollSoon() {
            if let clock = unsafe clock { unsafe gdk_frame_clock_request_phase(clock, GDK_FRAME_CLOCK_PHASE_UPDATE) }
        }

        /// Scrolls by the requests since the last frame. Returns whether another layout is needed.
        @discardableResult
        func scroll() -> Bool {
            // One step scrolls as far as a step of GTK's own scrolling.
            let step = pow(page, 2.0 / 3.0)
            let value = unsafe (scrolling.offset ?? gtk_adjustment_get_value(adjustment)) + scrolling.wheelSteps * step
            (scrolling.wheelSteps, scrolling.offset) = (0, nil)
            return scroll(toOffset: value)
        }

        private func scroll(toOffset offset: Double) -> Bool {
            let before = unsafe gtk_adjustment_get_value(adjustment)
            unsafe gtk_adjustment_set_value(adjustment, offset)
            return unsafe gtk_adjustment_get_value(adjustment) != before
        }

        /// Scrolls a position on screen in the next frame, to the upper edge `top`, or as little as possible.
        func scroll(toPosition position: Int?, top: Double? = nil) {
            (scrolling.position, scrolling.top, scrolling.hasAskedGTK, scrolling.offset) = (position, top, false, nil)
            updateSoon()
        }

        /// Scrolls to the wanted position after a layout. Returns whether another layout is needed. A position without
        /// a cell takes two layouts: GTK first scrolls near it, and then its cell has exact bounds.
        func scrollToPosition() -> Bool {
            guard let position = scrolling.position else { return false }
            if let place = unsafe cell(at: position)?.place(in: window) {
                scrolling.position = nil
                let page = unsafe Double(gtk_widget_get_height(window))
                let nearest = place.top < 0 ? 0 : min(place.top, max(0, page - place.height))
                return unsafe scroll(toOffset: gtk_adjustment_get_value(adjustment) + place.top - (scrolling.top ?? nearest))
            }
            let argument = unsafe g_variant_ref_sink(g_variant_new_uint32(guint(clamping: position)))
            defer { unsafe g_variant_unref(argument) }
            let asks =
                unsafe !scrolling.hasAskedGTK && gtk_widget_activate_action_variant(view, "list.scroll-to-item", argument) != 0
            scrolling.hasAskedGTK = true
            if !asks { scrolling.position = nil }
            return asks
        }

        /// Sums up the steps of the mouse wheel until the next frame.
        func watchWheel() {
            let wheel = unsafe gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL)
            unsafe gtk_event_controller_set_propagation_phase(wheel, GTK_PHASE_CAPTURE)
            unsafe GTKSignals.connect(wheel, "scroll") { [weak self] arguments in
                // GTK handles the events of a touchpad itself, one per frame.
                guard let self, unsafe gtk_event_controller_scroll_get_unit(wheel) == GDK_SCROLL_UNIT_WHEEL,
                    unsafe clock != nil
                else { return false }
                scrolling.wheelSteps += arguments.number(1)
                scrollSoon()
                return true
            }
            unsafe gtk_widget_add_controller(window, wheel)
        }
    }
#endif
