/// Provides images to targets and prefetchers. The loader conforms; tests may use another provider.
///
/// All calls are synchronous, on any isolation.
///
/// **Cancelling**: with the returned ``LoadHandle``. **Errors**: arrive with the last event.
///
/// **Must not**: call the handler during ``task(for:onEvent:)``, or after a `finished` event.
public protocol ImageProviding: Sendable {
    /// The handle of a load.
    associatedtype Handle: LoadHandle

    /// Returns the options of a load of the request, with all layers merged.
    ///
    /// - Throws: ``LoadFailure/failed(_:)`` if an option is invalid.
    func options(for request: ImageRequest) throws(LoadFailure) -> LoadOptions

    /// Returns the image if it is in the memory cache. Does not start a load or change actors.
    func cachedImage(for request: ImageRequest) -> DecodedImage?

    /// Starts a load and returns its handle at once.
    ///
    /// - Parameters:
    ///   - request: what to load.
    ///   - onEvent: called for each event in order, one call at a time, on no actor. The last event is `finished`.
    func task(for request: ImageRequest, onEvent: @escaping @Sendable (LoadEvent) -> Void) -> Handle
}
