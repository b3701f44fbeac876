#if canImport(ImageIO) && (canImport(UIKit) || canImport(AppKit))
    public import ImageCore
    internal import ImageLoading
    public import ImageTargets

    extension CalotypeView {
        /// Shows the picture behind a URL, from ``ImageLoader/shared``.
        public func setImage(
            with url: URL, completion: ImageTarget<PlatformViewAdapter>.MainActorCompletion? = nil
        ) {
            setImage(with: ImageRequest(url: url), completion: completion)
        }

        /// Shows the image of a request, from ``ImageLoader/shared``.
        public func setImage(
            with request: ImageRequest, completion: ImageTarget<PlatformViewAdapter>.MainActorCompletion? = nil
        ) {
            setImage(with: request, from: ImageLoader.shared, completion: completion)
        }
    }
#endif
