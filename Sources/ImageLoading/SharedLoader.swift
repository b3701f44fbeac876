internal import ImageCore

/// A loader that is created at its first use, unless it was replaced before.
package final class SharedLoader: Sendable {
    private let loader = Lock<ImageLoader?>(nil)
    private let make: @Sendable () -> ImageLoader

    package init(_ make: @escaping @Sendable () -> ImageLoader) { self.make = make }

    package var current: ImageLoader {
        get {
            loader.withLock { loader in
                let current = loader ?? make()
                loader = current
                return current
            }
        }
        set {
            // The old loader may be deallocated here and end its loads, whose callers may read the new one: outside the lock.
            let old = loader.withLock { loader in
                defer { loader = newValue }
                return loader
            }
            withExtendedLifetime(old) {}
        }
    }
}
