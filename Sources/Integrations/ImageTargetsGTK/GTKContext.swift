#if GTK
    internal import CCalotypeLibGTK

    /// Objects of Swift as the contexts of GTK's callbacks, which come on the main thread.
    enum GTKContext {
        /// Retains an object until ``release`` is called with the result.
        @unsafe static func retain(_ object: AnyObject) -> UnsafeMutableRawPointer {
            unsafe Unmanaged.passRetained(object).toOpaque()
        }

        static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
            if let context = unsafe context { unsafe Unmanaged<AnyObject>.fromOpaque(context).release() }
        }

        /// Calls a closure on the main actor with the object of a context; `nil` without one. Pointers are not
        /// `Sendable`, so that addresses are passed as integers.
        @unsafe static func with<Object: AnyObject, Result: Sendable>(
            _ context: UnsafeMutableRawPointer?, as type: Object.Type, _ body: @MainActor (Object) -> Result
        ) -> Result? {
            let address = UInt(bitPattern: context)
            return MainActor.assumeIsolated {
                guard let context = unsafe UnsafeMutableRawPointer(bitPattern: address) else { return nil }
                return unsafe body(Unmanaged<Object>.fromOpaque(context).takeUnretainedValue())
            }
        }
    }
#endif
