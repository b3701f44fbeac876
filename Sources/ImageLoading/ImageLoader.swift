public import ImageCore

/// Loads images: fetches, caches, decodes, processes and delivers them.
///
/// A loader has one queue of work and its worker threads, and uses the caches of its configuration. Every member is
/// safe to call from any isolation and returns without blocking. When the last reference to a loader goes, its loads
/// end as cancelled and its threads end.
///
/// ```swift
/// func thumbnail(_ url: URL, from loader: ImageLoader) async throws(LoadFailure) -> Bitmap {
///     try await loader.image(for: url, size: PixelSize(320)).bitmap
/// }
/// ```
public final class ImageLoader: ImageProviding {
    let coordinator: LoadCoordinator

    /// Creates a loader.
    ///
    /// - Parameter configuration: the components and the limits. Later changes to the value do not reach the loader.
    public init(_ configuration: Configuration) {
        coordinator = LoadCoordinator(configuration)
        if let updates = configuration.networkUpdates { coordinator.follow(updates()) }
    }

    deinit { coordinator.shutDown() }

    // MARK: Loading

    /// Loads the image that a request describes. Cancelling the surrounding task cancels the load.
    ///
    /// Delivers no previews, so that ``ImageRequest/lowResolution`` and ``LoadOptions/previews`` have no effect.
    ///
    /// - Throws: ``LoadFailure/failed(_:)`` with the error, or ``LoadFailure/cancelled``.
    public func image(for request: ImageRequest) async throws(LoadFailure) -> DecodedImage {
        switch try coordinator.cachedImage(for: request) {
        case .hit(let image): return image
        case .miss(let lookup): return try await coordinator.load(lookup).ending.get().image
        }
    }

    /// Loads an image, and returns it with the cache tier that had it and the metrics of the load. A memory hit returns
    /// without suspending. Delivers no previews, as ``image(for:)``.
    ///
    /// - Throws: ``LoadFailure/failed(_:)`` with the error, or ``LoadFailure/cancelled``.
    public func response(for request: ImageRequest) async throws(LoadFailure) -> ImageResponse {
        switch try coordinator.cachedImage(for: request) {
        case .hit(let image): return ImageResponse(image: image, tier: .memory)
        case .miss(let lookup): return try await coordinator.load(lookup).ending.get()
        }
    }

    /// Loads the encoded bytes that a request names, from the data cache or the source; decodes nothing.
    ///
    /// The size, the processors, previews and the memory cache have no effect. Fetched bytes are stored where the
    /// options say so and a decoder recognizes their format. The load shares its fetch with other loads. A source that
    /// is an image has no bytes, which fails the load.
    ///
    /// - Returns: the bytes, with the headers of their response.
    /// - Throws: ``LoadFailure/failed(_:)`` with the error, or ``LoadFailure/cancelled``.
    public func data(for request: ImageRequest) async throws(LoadFailure) -> DataEntry {
        guard case .bytes(let original) = try await coordinator.output(of: request, goal: .bytes) else {
            throw .failed(.noInput)
        }
        return original.entry
    }

    /// Reads the header of an image: its format, its size as stored, its orientation and its number of frames.
    ///
    /// Reads the data cache, or as little of the source as the decoder needs (``Decoding/info(ofPrefix:limits:)``);
    /// decodes no pixel. Of a source that is an image it returns what is known of that; the format is
    /// ``DecodedImage/format``, or `bitmap` where there is none.
    ///
    /// - Throws: ``LoadFailure/failed(_:)`` with the error, or ``LoadFailure/cancelled``.
    public func info(for request: ImageRequest) async throws(LoadFailure) -> ImageInfo {
        guard case .info(let info, _) = try await coordinator.output(of: request, goal: .info) else {
            throw .failed(.noInput)
        }
        return info
    }

    /// Starts a load and returns its handle at once. An invalid option fails the load.
    public func task(for request: ImageRequest) -> ImageTask { coordinator.start(request, wantsProgress: true, onEvent: nil) }

    /// Starts a load that reports its events to a closure, and returns its handle at once.
    ///
    /// ``load(_:reportsCancellation:progress:completion:)`` calls back once with the result, and on the main actor.
    ///
    /// - Parameters:
    ///   - request: the image to load.
    ///   - onEvent: called for each event, on any thread, one event at a time, never from inside this call.
    /// - Returns: the handle of the load.
    public func task(for request: ImageRequest, onEvent: @escaping @Sendable (LoadEvent) -> Void) -> ImageTask {
        coordinator.start(request, wantsProgress: true, onEvent: onEvent)
    }

    /// The options of a load of this request: the three layers, merged.
    ///
    /// - Throws: ``LoadFailure/failed(_:)`` where an option is invalid.
    public func options(for request: ImageRequest) throws(LoadFailure) -> LoadOptions {
        try coordinator.plan(request).options
    }

    /// The image in the memory cache, without waiting; `nil` if it is not there, if an option of the request is
    /// invalid, or if a ``LoadInterceptor`` that is no ``RequestRewriting`` decides what the load ends with.
    public func cachedImage(for request: ImageRequest) -> DecodedImage? {
        guard case .hit(let image) = try? coordinator.cachedImage(for: request) else { return nil }
        return image
    }

    // MARK: Control

    /// The highest layer of options, which overrides the request's; empty by default. A change applies to loads that
    /// start after it.
    public var runtimeOptions: OptionLayer {
        get { coordinator.runtimeOptions }
        set { coordinator.runtimeOptions = newValue }
    }

    /// Whether no fetch begins, also of revalidations. Running fetches continue, and waiting ones begin when it is
    /// `false` again; `false` by default.
    public var isPaused: Bool {
        get { coordinator.isPaused }
        set { coordinator.isPaused = newValue }
    }

    /// Empties every cache of the loader: memory, ``Configuration/otherStores`` such as partial bodies, responses, and
    /// the data cache with its shared tier. Loads that began before continue, but store nothing. Use ``cache`` to
    /// remove one image.
    ///
    /// - Throws: the first error of a cache, after all were emptied as far as possible.
    public func clearCaches() async throws { try await coordinator.clearCaches() }

    /// Returns when everything stored so far is durable on disk.
    ///
    /// - Throws: what the data cache throws.
    public func flush() async throws { try await coordinator.flush() }

    /// What the loader is doing now.
    public var activity: Activity { coordinator.activity }

    /// Counts of loads and of work at one moment.
    public struct Activity: Hashable, Sendable {
        /// Loads that have not ended.
        public var loads = 0
        /// Pieces of shared work that loads wait for, that are being stored, or that revalidate an entry in the
        /// background.
        public var work = 0
        /// Steps of work that wait for a free slot.
        public var queued = 0
        /// Steps of work that run.
        public var running = 0

        /// No loads and no work.
        public init() {}
    }
}
