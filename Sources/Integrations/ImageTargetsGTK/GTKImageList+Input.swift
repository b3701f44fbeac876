#if GTK
    internal import CCalotypeLibGTK

    // Clicks and keys.
    extension GTKImageList {
        /// Activates positions by click, if only one can be selected, and by the return key.
        ///
        /// GTK's own property for clicks (single-click-activate) also selects the cell under the pointer when the
        /// keyboard scrolls, so that the arrow keys would continue from another cell.
        func watchActivation() {
            unsafe GTKSignals.connect(view, "activate") { [weak self] arguments in
                self?.onActivate?(Int(arguments.number(0)))
                return false
            }
            // Where several positions can be selected, GTK's own clicks select them, with Control and Shift, and a
            // double click activates.
            guard selectionMode == .single else { return }
            let click = unsafe gtk_gesture_click_new()
            unsafe gtk_event_controller_set_propagation_phase(click, GTK_PHASE_CAPTURE)
            unsafe GTKSignals.connect(click, "pressed") { [weak self] arguments in
                guard let self else { return false }
                pressedPosition = position(x: arguments.number(1), y: arguments.number(2))
                // The first click has activated the cell. Claiming the second keeps GTK from activating it again.
                if arguments.number(0) > 1 { unsafe gtk_gesture_set_state(click, GTK_EVENT_SEQUENCE_CLAIMED) }
                return false
            }
            unsafe GTKSignals.connect(click, "released") { [weak self] arguments in
                guard let self, let position = position(x: arguments.number(1), y: arguments.number(2)),
                    arguments.number(0) == 1, position == pressedPosition
                else { return false }
                selectOnly(position)
                onActivate?(position)
                return false
            }
            unsafe gtk_widget_add_controller(view, click)
        }

        /// The position of the cell at a point of the view.
        private func position(x: Double, y: Double) -> Int? {
            var widget = unsafe gtk_widget_pick(view, x, y, GTK_PICK_DEFAULT)
            while let parent = unsafe widget.flatMap({ unsafe gtk_widget_get_parent($0) }), unsafe parent != view {
                unsafe widget = parent
            }
            return unsafe widget.flatMap { widget in
                cells.values.first { unsafe $0.position != nil && $0.parent == widget }?.position
            }
        }

        /// Scrolls to the first or last position by the keys Home and End, even if it has the focus already.
        func watchKeys() {
            let keys = unsafe gtk_event_controller_key_new()
            unsafe gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE)
            unsafe GTKSignals.connect(keys, "key-pressed") { [weak self] arguments in
                guard let self, count > 0 else { return false }
                switch Int32(arguments.number(0)) {
                case GDK_KEY_Home, GDK_KEY_KP_Home: scroll(toPosition: 0)
                case GDK_KEY_End, GDK_KEY_KP_End: scroll(toPosition: count - 1)
                default: break
                }
                // GTK moves the focus.
                return false
            }
            unsafe gtk_widget_add_controller(window, keys)
        }
    }
#endif
