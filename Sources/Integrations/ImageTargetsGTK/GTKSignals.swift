#if GTK
    internal import CCalotypeGTK

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
        /// The object keeps the closure until it ends or the handler is disconnected. Capture objects of Swift weakly that own
        /// the object.
        ///
        /// - Parameters:
        ///   - object: the GObject. For `nil`, nothing happens.
        ///   - signal: the name of the signal, such as `notify::scale-factor`.
        ///   - runsAfter: whether the closure runs after the object's own handler; `false` by default.
        ///   - body: receives the arguments of the signal, without the object. Its result is the result of a signal that returns a
        ///     truth value: `true` if the event was handled.
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

        init(_ values: UnsafeRawPointer?, count: UInt32) {
            self.values = (0..<count).map { index in
                var number = 0.0
                if unsafe calotype_gtk_value_number(values, index, &number) { return .number(number) }
                if let text = unsafe calotype_gtk_value_string(values, index) { return unsafe .text(String(cString: text)) }
                return unsafe .pointer(UInt(bitPattern: calotype_gtk_value_pointer(values, index)))
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
            unsafe calotype_gtk_disconnect(UnsafeMutableRawPointer(bitPattern: connection.object), connection.number)
        }

        fileprivate func connect(_ object: UInt, _ signal: String, runsAfter: Bool) {
            let number = unsafe calotype_gtk_connect(
                UnsafeMutableRawPointer(bitPattern: object), signal, runsAfter,
                { context, values, count in
                    let context = UInt(bitPattern: context)
                    let arguments = unsafe GTKSignalArguments(values, count: count)
                    return MainActor.assumeIsolated { GTKSignalHandler.at(context)?.body?(arguments) ?? false }
                }, Unmanaged.passRetained(self).toOpaque(),
                { context in
                    let context = UInt(bitPattern: context)
                    MainActor.assumeIsolated { GTKSignalHandler.at(context)?.end() }
                })
            connection = number == 0 ? nil : (object, number)
        }

        /// The signal no longer retains this object.
        private func end() {
            (connection, body) = (nil, nil)
            unsafe Unmanaged.passUnretained(self).release()
        }

        /// Pointers are not `Sendable`, so that their addresses are passed as integers.
        private static func at(_ context: UInt) -> GTKSignalHandler? {
            guard let context = unsafe UnsafeMutableRawPointer(bitPattern: context) else { return nil }
            return unsafe Unmanaged<GTKSignalHandler>.fromOpaque(context).takeUnretainedValue()
        }
    }
#endif
