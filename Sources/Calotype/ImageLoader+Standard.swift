public import ImageLoading

extension ImageLoader {
    /// Makes a loader with the standard wiring.
    ///
    /// - Parameters:
    ///   - preset: the configuration to start from, such as ``StandardConfiguration/server``; every part as declared by default.
    ///   - change: replaces parts, limits and options of it.
    public static func standard(
        _ preset: StandardConfiguration = StandardConfiguration(), _ change: (inout StandardConfiguration) -> Void = { _ in }
    ) -> ImageLoader {
        var configuration = preset
        change(&configuration)
        return ImageLoader(configuration.makeConfiguration())
    }

    /// The loader that the views of an app share; made with the standard wiring at its first use. Replace it at launch, before
    /// that: loads that run on the old one end as cancelled when nothing else holds it.
    public static var shared: ImageLoader {
        get { sharedLoader.current }
        set { sharedLoader.current = newValue }
    }
}

private let sharedLoader = SharedLoader { .standard() }
