#if GTK
    internal import CCalotypeLibGTK
    internal import ImageCore

    /// The `GdkPaintable` of a view, a class of GObject in Swift. A view keeps one, so that showing another image needs
    /// no new layout.
    @safe @MainActor final class GTKPaintable {
        /// How a texture is scaled to the view.
        enum Fit { case covers, contains, scalesDown }

        /// The GObject, which retains this object. It begins with one reference, of the view.
        let object: OpaquePointer
        /// Whether it has no intrinsic size and takes any size that it is given.
        var isFixed = false { didSet { unsafe gdk_paintable_invalidate_size(object) } }
        var fit = Fit.covers { didSet { unsafe gdk_paintable_invalidate_contents(object) } }
        /// The old texture, while `to` fades in, and the new one.
        private var (from, to): (GTKTexture?, GTKTexture?) = (nil, nil)
        /// 0 shows the old texture, 1 the new one.
        private var progress = 1.0
        /// The widget that runs the fade, and the number of its callback for each frame.
        private var tick: (widget: UnsafeMutablePointer<GtkWidget>, number: guint)?
        /// The start of the fade (`nil` before its first frame) and its duration, in microseconds.
        private var (fadeStart, fadeDuration): (Int64?, Int64) = (nil, 1)

        init() {
            unsafe object = OpaquePointer(g_object_new_with_properties(Self.type, 0, nil, nil))
            unsafe g_object_set_data_full(gtkCast(object), Self.key, GTKContext.retain(self), GTKContext.release)
        }

        /// Whether it draws nothing.
        var isBlank: Bool { from == nil && to == nil }

        /// Shows a texture, or nothing for `nil`. The old one fades out during a time, while `widget` is on screen.
        func show(_ texture: GTKTexture?, fadingFor time: Duration, in widget: UnsafeMutablePointer<GtkWidget>) {
            if let tick = unsafe tick { unsafe gtk_widget_remove_tick_callback(tick.widget, tick.number) }
            unsafe tick = nil
            let milliseconds = Int64(max(0, min(time / .milliseconds(1), Double(UInt32.max))))
            let fades = texture != nil && milliseconds > 0
            let size = intrinsicSize
            (from, to, progress) = (fades ? to : nil, texture, fades ? 0 : 1)
            if size != intrinsicSize { unsafe gdk_paintable_invalidate_size(object) }
            unsafe gdk_paintable_invalidate_contents(object)
            guard fades else { return }
            (fadeStart, fadeDuration) = (nil, milliseconds * 1000)
            let number = unsafe gtk_widget_add_tick_callback(
                widget,
                { _, clock, context in
                    let now = unsafe gdk_frame_clock_get_frame_time(clock)
                    return unsafe GTKContext.with(context, as: GTKPaintable.self) { $0.fade(Int64(now)) } == true ? 1 : 0
                }, GTKContext.retain(self), GTKContext.release)
            unsafe tick = (widget, number)
        }

        /// Returns whether the fade continues.
        private func fade(_ now: Int64) -> Bool {
            fadeStart = fadeStart ?? now
            progress = min(1, max(0, Double(now - (fadeStart ?? now)) / Double(fadeDuration)))
            if progress >= 1 {
                from = nil
                unsafe tick = nil
            }
            unsafe gdk_paintable_invalidate_contents(object)
            return progress < 1
        }

        // MARK: The class

        private nonisolated static let key = "calotype-paintable"

        private static let type: GType = {
            let size = unsafe (class: guint(MemoryLayout<GObjectClass>.size), object: guint(MemoryLayout<GObject>.size))
            let type = unsafe g_type_register_static_simple(
                clt_type_object, "CalotypePaintable", size.class, nil, size.object, nil, GTypeFlags(0))
            var info = unsafe GInterfaceInfo()
            unsafe info.interface_init = { interface, _ in
                guard let interface = unsafe interface?.assumingMemoryBound(to: GdkPaintableInterface.self) else { return }
                unsafe interface.pointee.snapshot = { paintable, snapshot, width, height in
                    let snapshot = UInt(bitPattern: snapshot)
                    unsafe with(paintable) { unsafe $0.draw(OpaquePointer(bitPattern: snapshot), width, height) }
                }
                unsafe interface.pointee.get_intrinsic_width = { unsafe with($0) { $0.intrinsicSize.width } ?? 0 }
                unsafe interface.pointee.get_intrinsic_height = { unsafe with($0) { $0.intrinsicSize.height } ?? 0 }
                unsafe interface.pointee.get_intrinsic_aspect_ratio = {
                    let size = unsafe with($0) { $0.intrinsicSize } ?? (width: 0, height: 0)
                    return size.height > 0 ? Double(size.width) / Double(size.height) : 0
                }
            }
            unsafe g_type_add_interface_static(type, gdk_paintable_get_type(), &info)
            return type
        }()

        @discardableResult
        private nonisolated static func with<Result: Sendable>(
            _ paintable: OpaquePointer?, _ body: @MainActor (GTKPaintable) -> Result
        ) -> Result? {
            unsafe GTKContext.with(g_object_get_data(gtkCast(paintable), key), as: GTKPaintable.self, body)
        }

        private var intrinsicSize: (width: Int32, height: Int32) { isFixed ? (0, 0) : size(of: to) }

        private func size(of texture: GTKTexture?) -> (width: Int32, height: Int32) {
            guard let texture = unsafe texture.map({ unsafe OpaquePointer($0.pointer) }) else { return (0, 0) }
            return unsafe (gdk_texture_get_width(texture), gdk_texture_get_height(texture))
        }

        private func draw(_ snapshot: OpaquePointer?, _ width: Double, _ height: Double) {
            guard progress < 1 else { return unsafe draw(to, snapshot, width, height) }
            unsafe gtk_snapshot_push_cross_fade(snapshot, progress)
            unsafe draw(from, snapshot, width, height)
            unsafe gtk_snapshot_pop(snapshot)
            unsafe draw(to, snapshot, width, height)
            unsafe gtk_snapshot_pop(snapshot)
        }

        /// Draws a texture so that it covers the area, or so that all of it is visible. A texture of one pixel is a
        /// colour, which fills the area.
        private func draw(_ texture: GTKTexture?, _ snapshot: OpaquePointer?, _ width: Double, _ height: Double) {
            guard let texture else { return }
            let size = size(of: texture)
            let (w, h) = (Double(size.width), Double(size.height))
            var shown = (width: width, height: height)
            if w > 1, h > 1 {
                let scale =
                    switch fit {
                    case .covers: max(width / w, height / h)
                    case .contains: min(width / w, height / h)
                    case .scalesDown: min(1, width / w, height / h)
                    }
                shown = (w * scale, h * scale)
            }
            unsafe gtk_snapshot_save(snapshot)
            var area = graphene_rect_t(
                origin: graphene_point_t(x: 0, y: 0), size: graphene_size_t(width: Float(width), height: Float(height)))
            unsafe gtk_snapshot_push_clip(snapshot, &area)
            // Centred on whole pixels, since half a pixel would blur every edge. Rounding towards zero keeps a covering
            // image covering.
            var corner = graphene_point_t(
                x: Float(((width - shown.width) / 2).rounded(.towardZero)),
                y: Float(((height - shown.height) / 2).rounded(.towardZero)))
            unsafe gtk_snapshot_translate(snapshot, &corner)
            unsafe gdk_paintable_snapshot(OpaquePointer(texture.pointer), snapshot, shown.width, shown.height)
            unsafe gtk_snapshot_pop(snapshot)
            unsafe gtk_snapshot_restore(snapshot)
        }
    }
#endif
