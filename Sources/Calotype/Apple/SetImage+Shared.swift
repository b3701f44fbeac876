#if canImport(ImageIO) && (canImport(UIKit) || canImport(AppKit))
    public import ImageCore
    internal import ImageLoading
    public import ImageTargets

    extension CalotypeView {
        /// Shows the image at a URL, loaded by ``ImageLoader/shared``.
        ///
        /// - Parameters:
        ///   - url: the URL of the image. `nil` cancels the load and shows the failure image of the loader's options, or otherwise
        ///     their placeholder; the completion is then called with ``ImageError/Code/invalidRequest``.
        ///   - size: the box in pixels that the image is scaled down to; `nil`, the default, leaves it to the loader's options.
        ///   - processors: the processors to run on the image, in order; an empty list, the default, leaves them to the loader's
        ///     options.
        ///   - completion: called on the main actor once with the result; not called if the request is replaced, repeated or
        ///     cancelled. `nil` by default.
        public func setImage(
            with url: URL?, size: PixelSize? = nil, processors: [any Processing] = [],
            completion: ImageTarget<PlatformViewAdapter>.MainActorCompletion? = nil
        ) {
            setImage(
                with: url, size: size, processors: processors, from: ImageLoader.shared, completion: completion)
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
