#if GTK
    internal import CCalotypeGTK
    public import ImageCore

    extension GTKImageView {
        /// Device pixels to one of the application's: 2 on a monitor of twice the density. A request's target size is in
        /// device pixels, so that such a monitor asks for twice as many.
        public var scaleFactor: Int { Int(unsafe calotype_gtk_scale_factor(widget)) }

        /// A size of the application's pixels in device pixels.
        public func devicePixels(_ size: PixelSize) -> PixelSize {
            PixelSize(width: size.width * scaleFactor, height: size.height * scaleFactor)
        }

        /// What a screen reader says; `nil` for nothing.
        public var accessibilityLabel: String? { unsafe calotype_gtk_view_label(widget).map { unsafe String(cString: $0) } }

        /// Whether the spinner is shown.
        public var isLoading: Bool { unsafe calotype_gtk_view_is_loading(widget) }

        /// What the progress bar shows, from 0 to 1; `nil` where it is not shown.
        public var progress: Double? {
            let progress = unsafe calotype_gtk_view_progress(widget)
            return progress < 0 ? nil : progress
        }

        /// Whether the sign of failure is shown.
        public var hasFailed: Bool { unsafe calotype_gtk_view_has_failed(widget) }

        /// Whether neither a picture nor what stands in for one is shown.
        public var isBlank: Bool { unsafe calotype_gtk_view_is_blank(widget) }

        /// Red, green, blue and alpha in the middle of the view as GTK draws it, straight, 0 to 255; `nil` when it shows
        /// nothing. For tests: draws the whole view.
        public func middleColor() -> [UInt8]? {
            var rgba: [UInt8] = [0, 0, 0, 0]
            let isDrawn = unsafe rgba.withUnsafeMutableBufferPointer {
                unsafe calotype_gtk_view_sample(widget, 32, 32, $0.baseAddress)
            }
            return isDrawn && rgba[3] > 0 ? rgba : nil
        }
    }
#endif
