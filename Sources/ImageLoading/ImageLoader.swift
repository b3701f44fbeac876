public import ImageCore

/// The front door: name a source, get its image.
///
/// A loader owns its caches' use, its queue of work and its worker threads. Everything is safe to call from any
/// isolation; nothing blocks. When the last reference goes, its loads end as cancelled and its threads end.
///
/// ```swift
/// func thumbnail(_ url: URL, from loader: ImageLoader) async throws(LoadFailure) -> Bitmap {
///     var request = ImageRequest(url: url)
///     request.options.targetSize = PixelSize(width: 320, height: 320)
///     return try await loader.image(for: request).bitmap
/// }
/// ```
public final class ImageLoader: ImageProviding {
    let coordinator: LoadCoordinator

    public init(_ configuration: Configuration) {
        coordinator = LoadCoordinator(configuration)
        if let updates = configuration.networkUpdates { coordinator.follow(updates()) }
    }

    deinit { coordinator.shutDown() }

    // MARK: Loading

    /// The image behind a URL. Cancelling the surrounding task cancels the load.
    public func image(for url: URL) async throws(LoadFailure) -> DecodedImage {
        try await image(for: ImageRequest(url: url))
    }

    /// The image that a request describes. Cancelling the surrounding task cancels the load.
    public func image(for request: ImageRequest) async throws(LoadFailure) -> DecodedImage {
        switch try coordinator.cachedImage(for: request) {
        case .hit(let image): return image
        case .miss(let plan): return try await coordinator.load(plan).ending.get().image
        }
    }

    /// The image with the tier that had it and what the load took. A memory hit returns without suspending.
    public func response(for request: ImageRequest) async throws(LoadFailure) -> ImageResponse {
        switch try coordinator.cachedImage(for: request) {
        case .hit(let image): return ImageResponse(image: image, tier: .memory)
        case .miss(let plan): return try await coordinator.load(plan).ending.get()
        }
    }

    /// The encoded bytes that a request names, with the head of the response that brought them, from the data cache or the
    /// source; nothing is decoded. Size, processors and the memory cache play no part. Bytes that were fetched are stored
    /// where the options say so and a decoder knows their format. Shares its fetch with other loads.
    public func data(for request: ImageRequest) async throws(LoadFailure) -> DataEntry {
        guard case .original(let original) = try await coordinator.outcome(of: request, goal: .bytes) else {
            throw .failed(.noInput)
        }
        return original.entry
    }

    /// What the header of an image says: format, size as stored, orientation, number of frames. Reads the data cache, or
    /// as little of the source as its decoder needs (``Decoding/info(ofHead:limits:)``); no pixel is decoded.
    public func info(for request: ImageRequest) async throws(LoadFailure) -> ImageInfo {
        guard case .header(let header) = try await coordinator.outcome(of: request, goal: .info) else {
            throw .failed(.noInput)
        }
        return header.info
    }

    /// Starts a load and returns its handle at once.
    public func task(for request: ImageRequest) -> ImageTask { coordinator.start(request, onEvent: nil) }

    public func options(for request: ImageRequest) throws(LoadFailure) -> LoadOptions {
        try coordinator.plan(request).options
    }

    public func cachedImage(for request: ImageRequest) -> ImageResponse? {
        guard case .hit(let image) = try? coordinator.cachedImage(for: request) else { return nil }
        return ImageResponse(image: image, tier: .memory)
    }

    public func load(_ request: ImageRequest, onEvent: @escaping @Sendable (LoadEvent) -> Void) -> any LoadHandle {
        coordinator.start(request, onEvent: onEvent)
    }

    // MARK: Control

    /// The highest layer of options: wins over the request's. A change applies to loads that start after it.
    public var runtimeOptions: OptionLayer {
        get { coordinator.runtimeOptions }
        set { coordinator.runtimeOptions = newValue }
    }

    /// Holds back all fetches that have not begun, until it is set to `false` again; `false` at first.
    public var isPaused: Bool {
        get { coordinator.isPaused }
        set { coordinator.isPaused = newValue }
    }

    /// Empties the memory cache, the ``Configuration/otherStores`` and the data cache. Loads that run go on, and may be stored.
    ///
    /// - Throws: what the data cache throws.
    public func clearCaches() async throws { try await coordinator.parts.clearCaches() }

    /// Returns when everything stored so far is durable on disk.
    public func flush() async throws { try await coordinator.flush() }

    /// What the loader is doing now.
    public var activity: Activity { coordinator.activity }

    /// Numbers of loads and of work, at one moment.
    public struct Activity: Hashable, Sendable {
        /// Loads that have not ended.
        public var loads = 0
        /// Shared pieces of work that somebody waits for, or that are being stored.
        public var work = 0
        /// Steps of work that wait for a free slot.
        public var queued = 0
        /// Steps of work that run.
        public var running = 0

        public init() {}

        init(loads: Int, work: Int, queued: Int, running: Int) {
            (self.loads, self.work, self.queued, self.running) = (loads, work, queued, running)
        }
    }
}
