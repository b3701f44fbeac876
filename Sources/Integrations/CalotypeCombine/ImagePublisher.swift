#if canImport(Combine)
    public import Combine
#elseif OpenCombine
    public import OpenCombine
#endif

#if canImport(Combine) || OpenCombine
    public import ImageCore
    public import ImageLoading

    /// Publishes the image of a request and completes: one value, or one failure.
    ///
    /// Each subscriber has its own load, and loads of the same image share their work. The load starts with the first
    /// demand of the subscriber. Cancelling the subscription cancels the load, and the subscriber receives nothing
    /// afterwards. Values arrive on any thread; use `receive(on:)` to receive them elsewhere.
    public struct ImagePublisher: Publisher {
        public typealias Output = ImageResponse
        public typealias Failure = LoadFailure

        private let loader: ImageLoader
        private let request: ImageRequest

        /// Creates a publisher.
        ///
        /// - Parameters:
        ///   - loader: loads the image.
        ///   - request: what to load.
        public init(loader: ImageLoader, request: ImageRequest) {
            self.loader = loader
            self.request = request
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == ImageResponse, S.Failure == LoadFailure {
            let downstream = Downstream(
                // The load started with a demand of at least one value, and there is only one.
                receiveValue: { _ = subscriber.receive($0) }, receiveCompletion: { subscriber.receive(completion: $0) })
            subscriber.receive(subscription: LoadSubscription(loader: loader, request: request, downstream: downstream))
        }
    }

    extension ImageLoader {
        /// Returns a publisher of the image at a URL.
        ///
        /// - Parameters:
        ///   - url: the URL of the image.
        ///   - size: the box in pixels that the image is scaled down to; `nil`, the default, leaves it to the loader's
        ///     options.
        ///   - processors: the processors to run on the image, in order; an empty list, the default, leaves them to the
        ///     loader's options.
        public func publisher(
            for url: URL, size: PixelSize? = nil, processors: [any Processing] = []
        ) -> ImagePublisher {
            publisher(for: ImageRequest(url: url, size: size, processors: processors))
        }

        /// Returns a publisher of the image of a request.
        public func publisher(for request: ImageRequest) -> ImagePublisher { ImagePublisher(loader: self, request: request) }
    }

    // because `Subscriber` does not require `Sendable`: only the end of the load calls the subscriber, and a load ends
    // once.
    private struct Downstream: @unchecked Sendable {
        let receiveValue: (ImageResponse) -> Void
        let receiveCompletion: (Subscribers.Completion<LoadFailure>) -> Void
    }

    /// The load of a subscriber.
    private final class LoadSubscription: Subscription, Sendable {
        private struct State {
            /// The subscriber; `nil` once the subscription has ended or was cancelled.
            var downstream: Downstream?
            var hasStarted = false
            /// The load. It is set as soon as the handle exists.
            var handle: ImageTask?
        }

        private let loader: ImageLoader
        private let request: ImageRequest
        private let state: Lock<State>

        init(loader: ImageLoader, request: ImageRequest, downstream: Downstream) {
            self.loader = loader
            self.request = request
            state = Lock(State(downstream: downstream))
        }

        func request(_ demand: Subscribers.Demand) {
            guard demand > .none else { return }
            let isFirst = state.withLock { state in
                defer { state.hasStarted = true }
                return !state.hasStarted && state.downstream != nil
            }
            guard isFirst else { return }
            let handle = loader.task(for: request) { [self] event in
                if case .finished(let result) = event { finish(result) }
            }
            // The subscription may have ended or been cancelled before the handle existed.
            let isActive = state.withLock { state in
                if state.downstream != nil { state.handle = handle }
                return state.downstream != nil
            }
            if !isActive { handle.cancel() }
        }

        func cancel() {
            let handle = state.withLock { state in
                state.downstream = nil
                return state.handle.take()
            }
            handle?.cancel()
        }

        private func finish(_ result: Result<ImageResponse, LoadFailure>) {
            guard let subscriber = state.withLock({ $0.downstream }) else { return }
            if case .success(let response) = result { subscriber.receiveValue(response) }
            // The subscriber may have cancelled when it received the value.
            let isActive = state.withLock { state in
                state.handle = nil
                return state.downstream.take() != nil
            }
            guard isActive else { return }
            switch result {
            case .success: subscriber.receiveCompletion(.finished)
            case .failure(let failure): subscriber.receiveCompletion(.failure(failure))
            }
        }
    }
#endif
