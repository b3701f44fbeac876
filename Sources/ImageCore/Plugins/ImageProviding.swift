/// By which targets and prefetchers ask for images; the engine's loader conforms, and so may a test's.
///
/// All calls are synchronous, from any isolation.
///
/// **Cancelling**: through the returned ``LoadHandle``. **Errors**: arrive as the last event.
///
/// **Must not**: call the handler from inside ``load(_:onEvent:)``, or after a `finished` event.
public protocol ImageProviding: Sendable {
    /// The options of a load of that request, all layers merged. Throws when one is out of range.
    func options(for request: ImageRequest) throws(LoadFailure) -> LoadOptions

    /// The image if the memory cache has it: no wait, no work, no actor hop.
    func cachedImage(for request: ImageRequest) -> ImageResponse?

    /// Starts a load. `onEvent` is called in order, one call at a time, on no actor; its last call is `finished`.
    func load(_ request: ImageRequest, onEvent: @escaping @Sendable (LoadEvent) -> Void) -> any LoadHandle
}

/// A running load as its caller holds it. Dropping it does not cancel the load.
public protocol LoadHandle: AnyObject, Sendable {
    var id: LoadID { get }
    /// May be changed in flight; shared work takes the highest of its subscribers'.
    var priority: LoadPriority { get set }
    /// Gives up the load's share in the work; work that nobody shares stops, down to the socket. The last event is
    /// then `finished` with ``LoadFailure/cancelled``. Does nothing after the end.
    func cancel()
}
