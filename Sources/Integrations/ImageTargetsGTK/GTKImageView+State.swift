#if GTK
    internal import CCalotypeLibGTK
    public import ImageCore

    extension GTKImageView {
        /// The number of device pixels per application pixel: 2 on a high-density monitor. The target size of a request
        /// is in device pixels.
        public var scaleFactor: Int { unsafe Int(gtk_widget_get_scale_factor(overlay)) }

        /// Converts a size in the application's pixels to device pixels.
        public func devicePixels(_ size: PixelSize) -> PixelSize {
            PixelSize(width: size.width * scaleFactor, height: size.height * scaleFactor)
        }

        /// The label for screen readers; `nil` if there is none.
        public var accessibilityLabel: String? { signs.label }

        /// Whether the spinner is shown.
        public var isLoading: Bool { signs.isLoading }

        /// The progress that the progress bar shows, 0 to 1; `nil` if the bar is hidden.
        public var progress: Double? { signs.progress }

        /// Whether the sign of failure is shown.
        public var hasFailed: Bool { failureMessage != nil }

        /// The sentence that says why the load failed; `nil` if no failure is shown.
        public var failureMessage: String? { failure?.message }

        /// The letter of the badge that is shown; `nil` if there is none.
        public var badge: String? { signs.badge }

        /// Whether neither an image nor a placeholder is shown.
        public var isBlank: Bool { paintable.isBlank }
    }
#endif
