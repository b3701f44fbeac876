public import ImageCore

/// A loader whose loads send the events that a test chooses, for tests of targets, views and lists.
///
/// ```swift
/// let provider = ScriptedProvider()
/// let view = RecordingView()
/// let target = ImageTarget(view, loader: provider)
/// await target.setImage(ImageRequest(url: URL(string: "test://a")!))
/// provider.loads[0].succeed(try TestImages.solid(red: 7))
/// await view.wait { $0.contains(.image(red: 7, .none)) }
/// ```
public final class ScriptedProvider: ImageProviding {
    private struct State {
        var loads: [ScriptedLoad] = []
        var memory: [ResourceKey: DecodedImage] = [:]
    }

    private let state = Lock(State())

    /// Creates a loader with an empty memory cache.
    public init() {}

    /// All loads so far, in order of their start.
    public var loads: [ScriptedLoad] { state.withLock { $0.loads } }

    /// The loads that have not ended.
    public var running: [ScriptedLoad] { loads.filter { !$0.hasEnded } }

    /// Sets the image that ``cachedImage(for:)`` returns for the request's source, whatever the target size and the
    /// processors.
    ///
    /// - Parameters:
    ///   - image: The image, or `nil` for a cache miss.
    ///   - request: A request with the source.
    public func cache(_ image: DecodedImage?, for request: ImageRequest) {
        state.withLock { $0.memory[request.resource] = image }
    }

    public func options(for request: ImageRequest) throws(LoadFailure) -> LoadOptions {
        do {
            return try OptionsBuilder(request: request.options).build()
        } catch {
            throw .failed(error)
        }
    }

    public func cachedImage(for request: ImageRequest) -> DecodedImage? { state.withLock { $0.memory[request.resource] } }

    public func task(for request: ImageRequest, onEvent: @escaping @Sendable (LoadEvent) -> Void) -> ScriptedLoad {
        state.withLock { state in
            let id = LoadID(rawValue: UInt64(state.loads.count))
            let load = ScriptedLoad(id: id, request: request, onEvent: onEvent)
            state.loads.append(load)
            return load
        }
    }
}

/// A load of a ``ScriptedProvider``, which sends the events that a test passes to it, and none after its end.
public final class ScriptedLoad: LoadHandle {
    private struct State {
        var priority: LoadPriority
        var isCancelled = false
        var onEvent: (@Sendable (LoadEvent) -> Void)?
    }

    public let id: LoadID
    /// The request of the load.
    public let request: ImageRequest
    private let state: Lock<State>

    init(id: LoadID, request: ImageRequest, onEvent: @escaping @Sendable (LoadEvent) -> Void) {
        self.id = id
        self.request = request
        state = Lock(State(priority: request.options.priority ?? .normal, onEvent: onEvent))
    }

    public var priority: LoadPriority {
        get { state.withLock { $0.priority } }
        set { state.withLock { $0.priority = newValue } }
    }

    /// Whether the load was cancelled before its end.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Whether the load has sent its result.
    public var hasEnded: Bool { state.withLock { $0.onEvent == nil } }

    /// Sends an event to the subscriber. After the result it does nothing.
    public func send(_ event: LoadEvent) {
        let onEvent = state.withLock { state in
            let onEvent = state.onEvent
            if case .finished = event { state.onEvent = nil }
            return onEvent
        }
        onEvent?(event)
    }

    /// Ends the load with an image.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - tier: Where the image comes from. By default the network.
    public func succeed(_ image: DecodedImage, tier: CacheTier = .network) {
        send(.finished(.success(ImageResponse(image: image, tier: tier))))
    }

    /// Ends the load with an error.
    public func fail(_ error: ImageError) { send(.finished(.failure(.failed(error)))) }

    public func cancel() {
        state.withLock { if $0.onEvent != nil { $0.isCancelled = true } }
        send(.finished(.failure(.cancelled)))
    }
}
