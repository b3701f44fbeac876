#if GTK
    internal import CCalotypeLibGTK
    internal import ImageCore

    /// What lies over the image of a view: a spinner, a progress bar, a sign of failure and a badge. The overlay keeps
    /// their widgets.
    @safe @MainActor final class GTKViewSigns {
        private let overlay: UnsafeMutablePointer<GtkWidget>
        /// The `GtkPicture`.
        private let image: UnsafeMutablePointer<GtkWidget>
        private let spinner: UnsafeMutablePointer<GtkWidget> = unsafe gtk_spinner_new()
        private let bar: UnsafeMutablePointer<GtkWidget> = unsafe gtk_progress_bar_new()
        /// Made when they are needed.
        private var (failure, badgeLabel): (UnsafeMutablePointer<GtkWidget>?, UnsafeMutablePointer<GtkWidget>?) = (nil, nil)

        init(over image: UnsafeMutablePointer<GtkWidget>, in overlay: UnsafeMutablePointer<GtkWidget>) {
            unsafe (self.overlay, self.image) = (overlay, image)
            Self.addStyle
            unsafe add(spinner, GTK_ALIGN_CENTER, GTK_ALIGN_CENTER)
            // GTK advances the animation of a spinner that is not mapped, and paints a frame for it. Lists keep such
            // cells in reserve.
            unsafe GTKSignals.connect(spinner, "map", runsAfter: true) { [self] in spin() }
            unsafe GTKSignals.connect(spinner, "unmap", runsAfter: true) { [self] in
                unsafe gtk_spinner_set_spinning(gtkCast(spinner), 0)
            }
            unsafe setVisible(spinner, false)
            unsafe add(bar, GTK_ALIGN_FILL, GTK_ALIGN_END)
            unsafe gtk_widget_add_css_class(bar, "calotype")
            unsafe setVisible(bar, false)
        }

        /// Whether a load runs. The spinner spins only while it is also mapped.
        var isLoading = false {
            didSet {
                // The progress bar may still show the progress of the previous load.
                if progress != nil { unsafe setVisible(bar, false) }
                guard isLoading != oldValue else { return }
                spin()
                unsafe setVisible(spinner, isLoading)
            }
        }

        private func spin() {
            let spins = unsafe isLoading && gtk_widget_get_mapped(spinner) != 0
            let isSpinning = unsafe gtk_spinner_get_spinning(gtkCast(spinner)) != 0
            if spins != isSpinning { unsafe gtk_spinner_set_spinning(gtkCast(spinner), spins ? 1 : 0) }
        }

        /// The progress that the bar shows, 0 to 1; `nil` if the bar is hidden.
        var progress: Double? {
            get { unsafe isVisible(bar) ? gtk_progress_bar_get_fraction(gtkCast(bar)) : nil }
            set {
                unsafe setVisible(bar, newValue.map { 0..<1 ~= $0 } ?? false)
                if let newValue { unsafe gtk_progress_bar_set_fraction(gtkCast(bar), newValue) }
            }
        }

        /// The smallest view that shows a sentence under the sign of failure.
        private static let sentenceSize = PixelSize(width: 220, height: 160)

        /// Shows the sign of failure, or none for `nil`. Where the view is large enough, the message stands under it,
        /// with a button if there is an action. Elsewhere the message is a tooltip.
        func showFailure(_ message: String?, onRetry: (@MainActor () -> Void)?) {
            guard unsafe message != nil || failure != nil else { return }
            if let failure = unsafe failure { unsafe gtk_overlay_remove_overlay(gtkCast(overlay), failure) }
            unsafe failure = nil
            unsafe gtk_widget_set_tooltip_text(overlay, nil)
            unsafe setAccessible(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, message, of: image)
            guard let message, let box = unsafe gtk_box_new(GTK_ORIENTATION_VERTICAL, 12) else { return }
            unsafe failure = box
            unsafe add(box, GTK_ALIGN_CENTER, GTK_ALIGN_CENTER)
            let icon = unsafe gtk_image_new_from_icon_name("image-missing-symbolic")
            unsafe gtk_image_set_icon_size(gtkCast(icon), GTK_ICON_SIZE_LARGE)
            unsafe gtk_box_append(gtkCast(box), icon)
            let size = unsafe (gtk_widget_get_width(overlay), gtk_widget_get_height(overlay))
            guard size.0 >= Self.sentenceSize.width, size.1 >= Self.sentenceSize.height else {
                return unsafe gtk_widget_set_tooltip_text(overlay, message)
            }
            let sentence = unsafe gtk_label_new(message)
            let label: OpaquePointer = unsafe gtkCast(sentence)
            unsafe gtk_label_set_wrap(label, 1)
            unsafe gtk_label_set_wrap_mode(label, PANGO_WRAP_WORD_CHAR)
            unsafe gtk_label_set_justify(label, GTK_JUSTIFY_CENTER)
            unsafe gtk_label_set_max_width_chars(label, 60)
            unsafe gtk_widget_set_margin_start(sentence, 12)
            unsafe gtk_widget_set_margin_end(sentence, 12)
            unsafe gtk_box_append(gtkCast(box), sentence)
            guard let onRetry else { return }
            unsafe gtk_widget_set_can_target(box, 1)
            let button = unsafe gtk_button_new_with_mnemonic("_Try Again")
            unsafe gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
            unsafe gtk_box_append(gtkCast(box), button)
            unsafe GTKSignals.connect(button, "clicked") { onRetry() }
        }

        /// The letter in the upper left corner; `nil` if there is none.
        var badge: String? {
            guard let label = unsafe badgeLabel, unsafe isVisible(label) else { return nil }
            return unsafe String(cString: gtk_label_get_text(gtkCast(label)))
        }

        /// Shows a tier as a letter in its colour, or nothing for `nil`.
        func showBadge(_ tier: CacheTier?) {
            if let badgeLabel = unsafe badgeLabel { unsafe setVisible(badgeLabel, tier != nil) }
            guard let tier, let label = unsafe badgeLabel ?? gtk_label_new(nil) else { return }
            if unsafe badgeLabel == nil { unsafe add(label, GTK_ALIGN_START, GTK_ALIGN_START) }
            unsafe badgeLabel = label
            unsafe gtk_label_set_text(gtkCast(label), tier.rawValue.prefix(1).uppercased())
            unsafe gtk_widget_set_css_classes(label, nil)
            unsafe gtk_widget_add_css_class(label, "calotype-badge")
            unsafe gtk_widget_add_css_class(label, tier.rawValue)
        }

        /// The label for screen readers; `nil` if there is none.
        var label: String? {
            get { unsafe gtk_picture_get_alternative_text(gtkCast(image)).map { unsafe String(cString: $0) } }
            set {
                guard newValue != label else { return }
                unsafe gtk_picture_set_alternative_text(gtkCast(image), newValue)
                unsafe setAccessible(GTK_ACCESSIBLE_PROPERTY_LABEL, newValue, of: image)
            }
        }

        // MARK: Widgets

        private func add(_ widget: UnsafeMutablePointer<GtkWidget>, _ horizontal: GtkAlign, _ vertical: GtkAlign) {
            unsafe gtk_widget_set_halign(widget, horizontal)
            unsafe gtk_widget_set_valign(widget, vertical)
            unsafe gtk_widget_set_can_target(widget, 0)
            unsafe gtk_overlay_add_overlay(gtkCast(overlay), widget)
        }

        /// Shows or hides a widget by its opacity. Changing its visibility would lay out the widgets around it again.
        private func setVisible(_ widget: UnsafeMutablePointer<GtkWidget>, _ isVisible: Bool) {
            unsafe gtk_widget_set_opacity(widget, isVisible ? 1 : 0)
            var (state, value) = (GTK_ACCESSIBLE_STATE_HIDDEN, GValue())
            unsafe gtk_accessible_state_init_value(state, &value)
            unsafe g_value_set_boolean(&value, isVisible ? 0 : 1)
            unsafe gtk_accessible_update_state_value(gtkCast(widget), 1, &state, &value)
        }

        private func isVisible(_ widget: UnsafeMutablePointer<GtkWidget>) -> Bool { unsafe gtk_widget_get_opacity(widget) > 0 }

        private func setAccessible(
            _ property: GtkAccessibleProperty, _ text: String?, of widget: UnsafeMutablePointer<GtkWidget>
        ) {
            guard let text else { return unsafe gtk_accessible_reset_property(gtkCast(widget), property) }
            var (property, value) = (property, GValue())
            unsafe gtk_accessible_property_init_value(property, &value)
            unsafe g_value_set_string(&value, text)
            unsafe gtk_accessible_update_property_value(gtkCast(widget), 1, &property, &value)
            unsafe g_value_unset(&value)
        }

        /// Adds the style of all views, once. Adwaita gives progress bars a minimum width, which is wider than the
        /// cells of a list.
        private static let addStyle: Void = {
            let style = """
                progressbar.calotype > trough, progressbar.calotype > trough > progress { min-width: 0; }
                progressbar.calotype { margin: 4px; }
                .calotype-badge { padding: 1px 6px; color: white; font-weight: bold; border-bottom-right-radius: 6px; }
                .calotype-badge.memory { background-color: rgb(30, 130, 60); }
                .calotype-badge.disk { background-color: rgb(30, 80, 190); }
                .calotype-badge.local { background-color: rgb(90, 90, 90); }
                .calotype-badge.network { background-color: rgb(200, 40, 40); }
                """
            let provider = unsafe gtk_css_provider_new()
            unsafe gtk_css_provider_load_from_data(provider, style, -1)
            unsafe gtk_style_context_add_provider_for_display(
                gdk_display_get_default(), gtkCast(provider), guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
            unsafe g_object_unref(provider)
        }()
    }
#endif
