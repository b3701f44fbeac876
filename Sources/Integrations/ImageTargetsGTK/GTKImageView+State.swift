#if GTK
    internal import CCalotypeGTK
    public import ImageCore

    extension GTKImageView {
        /// The number of device pixels per application pixel: 2 on a high-density monitor. The target size of a request is in device
        /// pixels.
        public var scaleFactor: Int { Int(unsafe calotype_gtk_scale_factor(widget)) }

        /// Converts a size in the application's pixels to device pixels.
        public func devicePixels(_ size: PixelSize) -> PixelSize {
            PixelSize(width: size.width * scaleFactor, height: size.height * scaleFactor)
        }

        /// The label for screen readers; `nil` if there is none.
        public var accessibilityLabel: String? { unsafe calotype_gtk_view_label(widget).map { unsafe String(cString: $0) } }

        /// Whether the spinner is shown.
        public var isLoading: Bool { unsafe calotype_gtk_view_is_loading(widget) }

        /// The progress that the progress bar shows, 0 to 1; `nil` if the bar is hidden.
        public var progress: Double? {
            let progress = unsafe calotype_gtk_view_progress(widget)
            return progress < 0 ? nil : progress
        }

        /// Whether the sign of failure is shown.
        public var hasFailed: Bool { failureMessage != nil }

        /// The sentence that says why the load failed; `nil` if no failure is shown.
        public var failureMessage: String? { failure?.message }

        /// The letter of the badge that is shown; `nil` if there is none.
        public var badge: String? { unsafe calotype_gtk_view_badge(widget).map { unsafe String(cString: $0) } }

        /// Whether neither an image nor a placeholder is shown.
        public var isBlank: Bool { unsafe calotype_gtk_view_is_blank(widget) }
    }
#endif
