#if GTK
    internal import CCalotypeLibGTK

    /// Signals of GObjects, handled by closures.
    ///
    /// ```swift
    /// import CGTK
    /// import ImageTargetsGTK
    ///
    /// @MainActor func watch(_ button: UnsafeMutablePointer<GtkWidget>, _ keys: OpaquePointer) {
    ///     GTKSignals.connect(button, "clicked") { print("clicked") }
    ///     GTKSignals.connect(keys, "key-pressed") { arguments in arguments.number(0) == Double(GDK_KEY_Escape) }
    /// }
    /// ```
    ///
    /// GTK emits its signals on the main thread. A signal that another thread emits ends the program.
    @MainActor public enum GTKSignals {
        /// Calls a closure whenever an object emits a signal.
        ///
        /// The object keeps the closure until it ends or the handler is disconnected. Capture objects of Swift weakly
        /// that own the object.
        ///
        /// - Parameters:
        ///   - object: the GObject. For `nil`, nothing happens.
        ///   - signal: the name of the signal, such as `notify::scale-factor`.
        ///   - runsAfter: whether the closure runs after the object's own handler; `false` by default.
        ///   - body: receives the arguments of the signal, without the object. Its result is the result of a signal
        ///     that returns a truth value: `true` if the event was handled.
        /// - Returns: the connection, which need not be kept.
        @discardableResult
        public static func connect(
            _ object: (some GTKPointer)?, _ signal: String, runsAfter: Bool = false,
            _ body: @escaping @MainActor (GTKSignalArguments) -> Bool
        ) -> GTKSignalHandler {
            let handler = GTKSignalHandler(body)
            if let object { unsafe handler.connect(UInt(bitPattern: object.gtkAddress), signal, runsAfter: runsAfter) }
            return handler
        }

        /// Calls a closure whenever an object emits a signal whose arguments and result do not matter.
        ///
        /// - Parameters:
        ///   - object: the GObject. For `nil`, nothing happens.
        ///   - signal: the name of the signal.
        ///   - runsAfter: whether the closure runs after the object's own handler; `false` by default.
        ///   - body: called with each signal. The result of a signal that returns a truth value is `false`.
        /// - Returns: the connection, which need not be kept.
        @discardableResult
        public static func connect(
            _ object: (some GTKPointer)?, _ signal: String, runsAfter: Bool = false, _ body: @escaping @MainActor () -> Void
        ) -> GTKSignalHandler {
            connect(object, signal, runsAfter: runsAfter) { _ in
                body()
                return false
            }
        }
    }

    /// The arguments of a signal, without the object that emitted it. The first one has the index 0.
    @safe public struct GTKSignalArguments: Sendable {
        private enum Value {
            case number(Double), text(String)
            /// The address of an object.
            case pointer(UInt)
        }
        private let values: [Value]

        /// - Parameter values: the object that emitted the signal, and the arguments.
        fileprivate init(_ values: UnsafeBufferPointer<GValue>) {
            self.values = unsafe values.dropFirst().indices.map { unsafe Self.value(values.baseAddress! + $0) }
        }

        private static func value(_ value: UnsafePointer<GValue>) -> Value {
            let type = unsafe value.pointee.g_type
            switch g_type_fundamental(type) {
            case clt_type_boolean: return unsafe .number(Double(g_value_get_boolean(value)))
            case clt_type_enum: return unsafe .number(Double(g_value_get_enum(value)))
            case clt_type_flags: return unsafe .number(Double(g_value_get_flags(value)))
            case clt_type_string:
                return unsafe g_value_get_string(value).map { unsafe .text(String(cString: $0)) } ?? .pointer(0)
            default:
                var number = GValue()
                unsafe g_value_init(&number, clt_type_double)
                if g_value_type_transformable(type, clt_type_double) != 0, unsafe g_value_transform(value, &number) != 0 {
                    return unsafe .number(g_value_get_double(&number))
                }
                return unsafe .pointer(g_value_fits_pointer(value) != 0 ? UInt(bitPattern: g_value_peek_pointer(value)) : 0)
            }
        }

        /// The number of arguments.
        public var count: Int { values.count }

        /// A number, a truth value (0 or 1), an enumeration or flags; 0 if the argument is something else.
        public func number(_ index: Int) -> Double { if case .number(let number) = values[index] { number } else { 0 } }

        /// A text; `nil` if the argument is something else.
        public func text(_ index: Int) -> String? { if case .text(let text) = values[index] { text } else { nil } }

        /// An object or another pointer, valid during the signal; `nil` if the argument is something else.
        @unsafe public func pointer(_ index: Int) -> UnsafeMutableRawPointer? {
            if case .pointer(let address) = values[index] { unsafe UnsafeMutableRawPointer(bitPattern: address) } else { nil }
        }
    }

    /// A connection of a closure to a signal. It stays when this object is released.
    @MainActor public final class GTKSignalHandler {
        private var body: (@MainActor (GTKSignalArguments) -> Bool)?
        /// The address of the object, and the number of its handler.
        private var connection: (object: UInt, number: UInt)?

        fileprivate init(_ body: @escaping @MainActor (GTKSignalArguments) -> Bool) { self.body = body }

        /// Whether the closure is called. `false` once the object has ended, or if it has no such signal.
        public var isConnected: Bool { connection != nil }

        /// Ends the connection and releases the closure. Further calls do nothing.
        public func disconnect() {
            guard let connection else { return }
            unsafe g_signal_handler_disconnect(UnsafeMutableRawPointer(bitPattern: connection.object), connection.number)
        }

        fileprivate func connect(_ object: UInt, _ signal: String, runsAfter: Bool) {
            let context = unsafe GTKContext.retain(self)
            let closure = unsafe g_closure_ref(g_closure_new_simple(guint(MemoryLayout<GClosure>.size), context))
            unsafe g_closure_sink(closure)
            // Passes the arguments of any signal as values, so that one function can handle all signals.
            unsafe g_closure_set_marshal(closure) { closure, result, count, values, _, _ in
                let arguments = unsafe GTKSignalArguments(UnsafeBufferPointer(start: values, count: Int(count)))
                let isHandled = unsafe GTKContext.with(closure?.pointee.data, as: GTKSignalHandler.self) { $0.body?(arguments) }
                guard let result = unsafe result, unsafe g_type_check_value_holds(result, clt_type_boolean) != 0 else {
                    return
                }
                unsafe g_value_set_boolean(result, isHandled == true ? 1 : 0)
            }
            unsafe g_closure_add_invalidate_notifier(closure, context) { context, _ in
                unsafe GTKContext.with(context, as: GTKSignalHandler.self) { ($0.connection, $0.body) = (nil, nil) }
                unsafe GTKContext.release(context)
            }
            let number = unsafe g_signal_connect_closure(
                UnsafeMutableRawPointer(bitPattern: object), signal, closure, runsAfter ? 1 : 0)
            // Without a handler, for example because the object has no such signal, nothing else would release this
            // object.
            if number == 0 { unsafe g_closure_invalidate(closure) }
            unsafe g_closure_unref(closure)
            connection = number == 0 ? nil : (object, number)
        }
    }
#endif
