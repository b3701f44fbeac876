internal import ImageCore
public import ImageLoading

extension ImageLoader {
    /// Creates a loader with the standard components.
    ///
    /// - Parameters:
    ///   - preset: the configuration to start from, such as ``StandardConfiguration/server``; by default the default
    ///     values.
    ///   - change: changes components, limits and options of the configuration.
    public static func standard(
        _ preset: StandardConfiguration = StandardConfiguration(), _ change: (inout StandardConfiguration) -> Void = { _ in }
    ) -> ImageLoader {
        var configuration = preset
        change(&configuration)
        return ImageLoader(configuration.makeConfiguration())
    }

    /// The loader that the views of an app share, which is created with the standard configuration at its first use.
    ///
    /// To replace it, set it at launch, before its first use. Loads of the replaced loader are cancelled when it is
    /// released.
    public static var shared: ImageLoader {
        get {
            sharedLoader.withLock { loader in
                let current = loader ?? .standard()
                loader = current
                return current
            }
        }
        set {
            // The old loader may be released here and end its loads, whose callers may read the new one: outside the
            // lock.
            let old = sharedLoader.withLock { loader in
                defer { loader = newValue }
                return loader
            }
            withExtendedLifetime(old) {}
        }
    }
}

private let sharedLoader = Lock<ImageLoader?>(nil)
