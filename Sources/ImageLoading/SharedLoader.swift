internal import ImageCore

/// A loader that is made at its first use, unless another one was put in its place before.
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
            // The old one may end here, and its callers be told so, who may ask for the new one: outside the lock.
            let old = loader.withLock { loader in
                defer { loader = newValue }
                return loader
            }
            withExtendedLifetime(old) {}
        }
    }
}
