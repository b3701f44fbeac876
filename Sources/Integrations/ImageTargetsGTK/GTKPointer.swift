#if GTK
    /// A pointer to an object of GTK, in one of the three forms in which Swift imports GTK's types.
    ///
    /// Types with a public struct are an `UnsafeMutablePointer`, such as `GtkWidget` and `GtkWindow`. Other types are
    /// an `OpaquePointer`, such as `GtkLabel` and `GtkHeaderBar`. `GTKImageView/widget` is an
    /// `UnsafeMutableRawPointer`.
    public protocol GTKPointer {
        /// Makes a pointer to the object at an address.
        init(gtkAddress: UnsafeMutableRawPointer)
        /// The address of the object.
        var gtkAddress: UnsafeMutableRawPointer { get }
    }

    extension UnsafeMutablePointer: @unsafe GTKPointer {
        public init(gtkAddress: UnsafeMutableRawPointer) { unsafe self = gtkAddress.assumingMemoryBound(to: Pointee.self) }
        public var gtkAddress: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
    }

    extension OpaquePointer: @unsafe GTKPointer {
        public init(gtkAddress: UnsafeMutableRawPointer) { self.init(gtkAddress) }
        public var gtkAddress: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(self) }
    }

    extension UnsafeMutableRawPointer: @unsafe GTKPointer {
        public init(gtkAddress: UnsafeMutableRawPointer) { unsafe self = gtkAddress }
        public var gtkAddress: UnsafeMutableRawPointer { unsafe self }
    }

    /// Casts a pointer to an object of GTK to another type, as GTK's cast macros such as `GTK_WINDOW` do in C.
    ///
    /// The type follows from the use. The object is not checked: it must have that type.
    ///
    /// ```swift
    /// import CGTK
    /// import ImageTargetsGTK
    ///
    /// @MainActor func present(_ view: GTKImageView) {
    ///     let window = gtk_window_new()
    ///     gtk_window_set_child(gtkCast(window), gtkCast(view.widget))
    ///     gtk_window_present(gtkCast(window))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - object: the object, or `nil`.
    ///   - type: the type of the result; it follows from the use by default.
    /// - Returns: the same object; `nil` for `nil`.
    @unsafe public func gtkCast<From: GTKPointer, To: GTKPointer>(_ object: From?, to type: To.Type = To.self) -> To! {
        object.map { unsafe To(gtkAddress: $0.gtkAddress) }
    }
#endif
