#if canImport(ImageIO) && (canImport(UIKit) || canImport(AppKit))
    public import ImageCore
    internal import ImageLoading
    public import ImageTargets

    extension CalotypeView {
        /// Shows the image of a URL, loaded by ``ImageLoader/shared``.
        ///
        /// - Parameters:
        ///   - url: the URL of the image.
        ///   - completion: called on the main actor once with the result; not called if the request is replaced, repeated or
        ///     cancelled. `nil` by default.
        public func setImage(
            with url: URL, completion: ImageTarget<PlatformViewAdapter>.MainActorCompletion? = nil
        ) {
            setImage(with: ImageRequest(url: url), completion: completion)
        }

        /// Shows the image of a request, loaded by ``ImageLoader/shared``.
        ///
        /// - Parameters:
        ///   - request: the image to show.
        ///   - completion: called on the main actor once with the result; not called if the request is replaced, repeated or
        ///     cancelled. `nil` by default.
        public func setImage(
            with request: ImageRequest, completion: ImageTarget<PlatformViewAdapter>.MainActorCompletion? = nil
        ) {
            setImage(with: request, from: ImageLoader.shared, completion: completion)
        }
    }
#endif
